//! The scoreboard as figures.

use super::board::{Board, Cell, Cloud, Sheet};
use super::energy::Verdict;
use nhi_run::plot::{COLOURS, Chart, Curve, Field, Matrix, Scale, figure, matrix};

/// A file name, a caption and the picture.
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) caption: &'static str,
    pub(crate) svg: String,
}

/// So many models are all drawn; of more, some.
const FEW: usize = 3;

/// Methods of the figures, in the order of their colours.
const DRAWN: [&str; 7] =
    ["dla2", "dla2_midpoint", "dla1", "rattle", "frame", "dla2_suzuki4", "dla2_kahanli6"];

impl Board {
    /// All figures that have something to show.
    pub(crate) fn figures(&self) -> Vec<Figure> {
        let mut figures = Vec::new();
        if !self.sheets.is_empty() {
            let caption = "Every method on every model: the measured order, and the verdict on the energy in a long run.";
            figures.push(Figure { name: "board.svg", caption, svg: self.matrix(caption) });
        }
        for (name, caption, panels) in [
            ("orders.svg", "Errors of q at t = 3 against the step size, above rounding.", self.orders()),
            (
                "energy.svg",
                if self.sheets.len() > FEW {
                    "Largest energy errors over a long run: the same motion in two gauges, a sleigh, and a gearbox."
                } else {
                    "Largest energy errors over a long run."
                },
                self.energies(),
            ),
            (
                "parasites.svg",
                "The parasitic mode of RATTLE on all models, for each kind of start.",
                self.parasites(),
            ),
            (
                "volume.svg",
                "Phase volume of a cloud of nonholonomic particles, h = 0.25.",
                self.volumes_drawn(),
            ),
        ] {
            let panels: Vec<_> = panels.into_iter().filter(|panel| !panel.curves.is_empty()).collect();
            if !panels.is_empty() {
                figures.push(Figure { name, caption, svg: figure(caption, &panels) });
            }
        }
        figures
    }

    fn sheet(&self, model: &str) -> Option<&Sheet> {
        self.sheets.iter().find(|sheet| sheet.course.model.name() == model)
    }

    /// Those of these models, or all if they are few.
    fn some(&self, models: &[&str]) -> Vec<&Sheet> {
        if self.sheets.len() > FEW {
            models.iter().filter_map(|model| self.sheet(model)).collect()
        } else {
            self.sheets.iter().collect()
        }
    }

    fn orders(&self) -> Vec<Chart> {
        let panel = |sheet: &Sheet| Chart {
            title: sheet.course.model.name().to_owned(),
            x: "h".to_owned(),
            y: "error of q".to_owned(),
            scale: Scale::DoublyLogarithmic,
            curves: curves(sheet, |cell| cell.order.errors.clone()),
        };
        self.some(&["contact_oscillator", "rotating_table_skate", "euler_disk"])
            .into_iter()
            .map(panel)
            .collect()
    }

    fn energies(&self) -> Vec<Chart> {
        let panel = |sheet: &Sheet| Chart {
            title: sheet.course.model.name().to_owned(),
            x: "t".to_owned(),
            y: "|E − E(0)| / E(0)".to_owned(),
            scale: Scale::Logarithmic,
            curves: curves(sheet, |cell| {
                // A curve that has left the picture ends.
                let inside = |&&(_, error): &&(f64, f64)| error < 1e2;
                let parts = cell.long.as_ref().map(|energy| &energy.parts);
                parts.map_or(Vec::new(), |parts| parts.iter().take_while(inside).copied().collect())
            }),
        };
        let shown =
            self.some(&["contact_oscillator", "contact_oscillator_gauged", "sleigh_contact", "gearbox"]);
        shown.into_iter().map(panel).collect()
    }

    fn parasites(&self) -> Vec<Chart> {
        let shown = [
            "sleigh_com",
            "sleigh_moving_mass",
            "snakeboard_free",
            "mobile_robot",
            "contact_oscillator",
            "vertical_disk",
            "euler_disk",
        ];
        let panel = |(id, title): (&str, &str)| Chart {
            title: title.to_owned(),
            x: "t".to_owned(),
            y: "η".to_owned(),
            scale: Scale::Logarithmic,
            curves: shown
                .iter()
                .zip(COLOURS)
                .filter_map(|(model, colour)| {
                    let cell = self.sheet(model)?.cells.iter().find(|cell| cell.method.id == id)?;
                    let points = cell.parasite.as_ref()?.course.iter().filter(|(t, _)| *t <= 60.0).copied();
                    Some(Curve { name: (*model).to_owned(), colour, width: 1.0, points: points.collect() })
                })
                .collect(),
        };
        [("rattle", "consistent start"), ("rattle_projected", "projected start")].map(panel).into()
    }

    fn volumes_drawn(&self) -> Vec<Chart> {
        let panel = |(model, title): (&str, &str)| Chart {
            title: title.to_owned(),
            x: "t".to_owned(),
            y: "volume / volume(0)".to_owned(),
            scale: Scale::Fill,
            curves: ["dla2", "dla_rattle", "rattle", "frame", "dla2_suzuki4", "rk4"]
                .iter()
                .zip(COLOURS)
                .filter_map(|(id, colour)| {
                    let same = |cloud: &&Cloud| {
                        cloud.model == model && cloud.method.is_some_and(|method| method.id == *id)
                    };
                    let points = self.clouds.iter().find(same)?.volume.course.clone();
                    Some(Curve { name: (*id).to_owned(), colour, width: 2.0, points })
                })
                .collect(),
        };
        [("nh_particle", "free particle"), ("nh_particle_harmonic", "particle with a spring")]
            .map(panel)
            .into()
    }

    /// Models against methods, coloured by the verdict on the energy, with the measured orders.
    fn matrix(&self, caption: &str) -> String {
        let field = |cell: &Cell| Field {
            colour: colour(cell.verdict()),
            text: match cell.order.slope {
                Some(slope) if cell.order.settled => format!("{slope:.2}"),
                Some(slope) => format!("~{slope:.0}"),
                None => "–".to_owned(),
            },
        };
        let column =
            |sheet: &Sheet| (sheet.course.model.name(), sheet.cells.iter().map(field).collect::<Vec<_>>());
        let legend = [
            (Some(Verdict::Bounded), "energy bounded"),
            (Some(Verdict::Drifting), "drifts"),
            (Some(Verdict::Lost), "lost (error over 10 %)"),
            (Some(Verdict::Stopped), "run stops"),
            (None, "forces do work"),
        ];
        let rows = self.sheets.first().map_or(&[][..], |sheet| &sheet.cells);
        matrix(
            caption,
            &Matrix {
                columns: self.sheets.iter().map(column).collect(),
                rows: rows.iter().map(|cell| cell.method.id).collect(),
                legend: legend.map(|(verdict, meaning)| (colour(verdict), meaning)).into(),
            },
        )
    }
}

fn colour(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Bounded) => "#9ed8c7",
        Some(Verdict::Drifting) => "#f7dd96",
        Some(Verdict::Lost) => "#f0a878",
        Some(Verdict::Stopped) => "#be96be",
        None => "#e8e8e8",
    }
}

/// A curve for each of the drawn methods.
fn curves(sheet: &Sheet, points: impl Fn(&Cell) -> Vec<(f64, f64)>) -> Vec<Curve> {
    let drawn = DRAWN.iter().zip(COLOURS).filter_map(|(id, colour)| {
        let cell = sheet.cells.iter().find(|cell| cell.method.id == *id)?;
        Some(Curve { name: (*id).to_owned(), colour, width: 2.0, points: points(cell) })
    });
    drawn.collect()
}
