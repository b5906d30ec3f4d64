//! The scoreboard as figures.

use super::board::{Board, Cell, Cloud, Sheet};
use super::energy::Verdict;
use crate::figure::{COLOURS, Curve, Panel, Scale, Undrawn, draw};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A file name, a caption and the picture.
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) caption: &'static str,
    pub(crate) svg: String,
}

/// Methods of the figures, in the order of their colours.
const DRAWN: [&str; 7] =
    ["dla2", "dla2_midpoint", "dla1", "rattle", "dla_rattle", "dla2_suzuki4", "dla2_kahanli6"];

impl Board {
    /// All figures that have something to show.
    pub(crate) fn figures(&self) -> Result<Vec<Figure>, Undrawn> {
        let mut figures = Vec::new();
        if !self.sheets.is_empty() {
            figures.push(Figure {
                name: "board.svg",
                caption: "Every method on every model: the measured order, and the verdict on the energy in a long run.",
                svg: self.matrix()?,
            });
        }
        for (name, caption, panels) in [
            ("orders.svg", "Errors of q at t = 3 against the step size, above rounding.", self.orders()),
            (
                "energy.svg",
                "Largest energy errors over a long run: the same motion in two gauges, and a sleigh.",
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
                figures.push(Figure { name, caption, svg: draw(&panels)? });
            }
        }
        Ok(figures)
    }

    fn sheet(&self, model: &str) -> Option<&Sheet> {
        self.sheets.iter().find(|sheet| sheet.course.model.name() == model)
    }

    fn orders(&self) -> Vec<Panel> {
        let panel = |model: &&str| {
            let sheet = self.sheet(model)?;
            Some(Panel {
                title: (*model).to_owned(),
                x: "h".to_owned(),
                y: "error of q".to_owned(),
                scale: Scale::DoublyLogarithmic,
                curves: curves(sheet, |cell| cell.order.errors.clone()),
            })
        };
        ["contact_oscillator", "rotating_table_skate", "euler_disk"].iter().filter_map(panel).collect()
    }

    fn energies(&self) -> Vec<Panel> {
        let panel = |model: &&str| {
            let sheet = self.sheet(model)?;
            Some(Panel {
                title: (*model).to_owned(),
                x: "t".to_owned(),
                y: "|E − E(0)| / E(0)".to_owned(),
                scale: Scale::Logarithmic,
                curves: curves(sheet, |cell| {
                    // A curve that has left the picture ends.
                    let inside = |&&(_, error): &&(f64, f64)| error < 1e2;
                    cell.long.as_ref().map_or(Vec::new(), |energy| {
                        energy.parts.iter().take_while(inside).copied().collect()
                    })
                }),
            })
        };
        ["contact_oscillator", "contact_oscillator_gauged", "sleigh_contact"]
            .iter()
            .filter_map(panel)
            .collect()
    }

    fn parasites(&self) -> Vec<Panel> {
        let shown = [
            "sleigh_com",
            "sleigh_moving_mass",
            "snakeboard_free",
            "mobile_robot",
            "contact_oscillator",
            "vertical_disk",
            "euler_disk",
        ];
        let panel = |(id, title): (&str, &str)| Panel {
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
                    Some(Curve { name: (*model).to_owned(), colour, width: 1, points: points.collect() })
                })
                .collect(),
        };
        [("rattle", "consistent start"), ("rattle_projected", "projected start")].map(panel).into()
    }

    fn volumes_drawn(&self) -> Vec<Panel> {
        let panel = |(model, title): (&str, &str)| Panel {
            title: title.to_owned(),
            x: "t".to_owned(),
            y: "volume / volume(0)".to_owned(),
            scale: Scale::Fill,
            curves: ["dla2", "dla_rattle", "rattle", "rattle_restarted", "dla2_suzuki4", "rk4"]
                .iter()
                .zip(COLOURS)
                .filter_map(|(id, colour)| {
                    let same = |cloud: &&Cloud| {
                        cloud.model == model && cloud.method.is_some_and(|method| method.id == *id)
                    };
                    let points = self.clouds.iter().find(same)?.volume.course.clone();
                    Some(Curve { name: (*id).to_owned(), colour, width: 2, points })
                })
                .collect(),
        };
        [("nh_particle", "free particle"), ("nh_particle_harmonic", "particle with a spring")]
            .map(panel)
            .into()
    }

    /// Models against methods, coloured by the verdict on the energy, with the measured orders.
    fn matrix(&self) -> Result<String, Undrawn> {
        const ROW: i32 = 20;
        const COLUMN: i32 = 50;
        const LEFT: i32 = 150;
        const TOP: i32 = 190;
        let rows = self.sheets[0].cells.len() as i32;
        let size = (LEFT + COLUMN * self.sheets.len() as i32 + 20, TOP + ROW * rows + 50);
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, (size.0 as u32, size.1 as u32)).into_drawing_area();
            root.fill(&WHITE)?;
            let style = |size: i32| ("sans-serif", size).into_text_style(&root).color(&BLACK);
            let left = style(13).pos(Pos::new(HPos::Left, VPos::Center));
            let centre = style(12).pos(Pos::new(HPos::Center, VPos::Center));
            let upright = left.transform(FontTransform::Rotate270);
            for (column, sheet) in (0..).zip(&self.sheets) {
                let x = LEFT + COLUMN * column;
                root.draw_text(sheet.course.model.name(), &upright, (x + COLUMN / 2, TOP - 8))?;
                for (row, cell) in (0..).zip(&sheet.cells) {
                    let y = TOP + ROW * row;
                    if column == 0 {
                        root.draw_text(cell.method.id, &left, (8, y + ROW / 2))?;
                    }
                    let corners = [(x + 1, y + 1), (x + COLUMN - 1, y + ROW - 1)];
                    root.draw(&Rectangle::new(corners, colour(cell.verdict()).filled()))?;
                    let order = match cell.order.slope {
                        Some(slope) if cell.order.settled => format!("{slope:.2}"),
                        Some(slope) => format!("~{slope:.0}"),
                        None => "–".to_owned(),
                    };
                    root.draw_text(&order, &centre, (x + COLUMN / 2, y + ROW / 2))?;
                }
            }
            let y = TOP + ROW * rows + 25;
            let legend = [
                (Some(Verdict::Bounded), "energy bounded"),
                (Some(Verdict::Drifting), "drifts"),
                (Some(Verdict::Lost), "lost (error over 10 %)"),
                (Some(Verdict::Stopped), "run stops"),
                (None, "forces do work"),
            ];
            for (i, (verdict, name)) in (0..).zip(legend) {
                let x = 8 + 190 * i;
                root.draw(&Rectangle::new([(x, y - 8), (x + 26, y + 8)], colour(verdict).filled()))?;
                root.draw_text(name, &left, (x + 34, y))?;
            }
            root.present()?;
        }
        Ok(svg)
    }
}

fn colour(verdict: Option<Verdict>) -> RGBColor {
    match verdict {
        Some(Verdict::Bounded) => RGBColor(158, 216, 199),
        Some(Verdict::Drifting) => RGBColor(247, 221, 150),
        Some(Verdict::Lost) => RGBColor(240, 168, 120),
        Some(Verdict::Stopped) => RGBColor(190, 150, 190),
        None => RGBColor(232, 232, 232),
    }
}

/// A curve for each of the drawn methods.
fn curves(sheet: &Sheet, points: impl Fn(&Cell) -> Vec<(f64, f64)>) -> Vec<Curve> {
    let drawn = DRAWN.iter().zip(COLOURS).filter_map(|(id, colour)| {
        let cell = sheet.cells.iter().find(|cell| cell.method.id == *id)?;
        Some(Curve { name: (*id).to_owned(), colour, width: 2, points: points(cell) })
    });
    drawn.collect()
}
