//! The maps of groups, by the runtime.

use nhi_codegen::group::{Group, Map};
use nhi_methods::Retraction;
use nhi_runtime::group::{Cayley, Ccsk, Exp, Exp1, Exp2, Exp4, SE2, SE3, SO3};
use nhi_runtime::{Factor, Retracts, Vector};

macro_rules! define_map {
    ($($group:ident $notation:literal { $($facts:tt)* })*) => {
        /// All numbers that the map of a group with this retraction gives for `arguments`.
        ///
        /// # Panics
        /// If the runtime has no such group, or the lengths of the arguments are not those of the map.
        pub fn map(map: Map, group: &Group, retraction: Retraction, arguments: &[Vec<f64>]) -> Vec<f64> {
            match group.runtime {
                $(stringify!($group) => with::<$group<f64>>(map, retraction, arguments),)*
                name => panic!("the runtime has no group {name}"),
            }
        }
    };
}

nhi_runtime::for_each_group!(define_map);

fn with<G: Factor>(map: Map, retraction: Retraction, arguments: &[Vec<f64>]) -> Vec<f64>
where
    Exp: Retracts<G>,
    Cayley: Retracts<G>,
    Ccsk: Retracts<G>,
    Exp1: Retracts<G>,
    Exp2: Retracts<G>,
    Exp4: Retracts<G>,
{
    let numbers = match retraction {
        Retraction::Exp => of::<G, Exp>,
        Retraction::Cayley => of::<G, Cayley>,
        Retraction::Ccsk => of::<G, Ccsk>,
        Retraction::Exp1 => of::<G, Exp1>,
        Retraction::Exp2 => of::<G, Exp2>,
        Retraction::Exp4 => of::<G, Exp4>,
    };
    numbers(map, arguments)
}

fn vector<V: Vector<f64>>(entries: &[f64]) -> V {
    let mut vector = V::splat(0.0);
    vector.as_mut().copy_from_slice(entries);
    vector
}

fn of<G: Factor, R: Retracts<G>>(map: Map, arguments: &[Vec<f64>]) -> Vec<f64> {
    let first = &arguments[0];
    let second = arguments.last().unwrap_or(first);
    match map {
        Map::Moved => R::moved(&vector(first), &vector(second)).as_ref().to_vec(),
        Map::Start => R::dtau_inv_star(&vector(first), &vector(second)).as_ref().to_vec(),
        Map::End => R::dtau_left_inv_star(&vector(first), &vector(second)).as_ref().to_vec(),
        Map::Displaced => G::displaced(&vector(first), &vector(second)).as_ref().to_vec(),
        Map::Rate => G::dexp_left_inv(&vector(first), &vector(second)).as_ref().to_vec(),
        Map::TangentLeft => R::dtau_left(&vector(first)).as_ref().to_vec(),
        Map::InverseTangent => R::dtau_inv(&vector(first)).as_ref().to_vec(),
        Map::StartTangent => R::k(&vector(first), &vector(second)).as_ref().to_vec(),
    }
}
