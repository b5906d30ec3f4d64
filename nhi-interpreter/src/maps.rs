//! The maps of groups, by the runtime.

use nhi_codegen::expr::group::{Group, Map};
use nhi_methods::Retraction;
use nhi_runtime::group::{Cayley, Ccsk, Exp, Exp1, Exp2, Exp4};
use nhi_runtime::{Factor, Retracts, Scalar, Vector};

macro_rules! define_map {
    ($($group:ident $notation:literal { $($facts:tt)* })*) => {
        /// All numbers that the map of a group with this retraction gives for `arguments`.
        ///
        /// # Panics
        /// If the runtime has no such group, or the lengths of the arguments are not those of the map.
        pub fn map<T: Scalar>(
            map: Map,
            group: &Group,
            retraction: Retraction,
            arguments: &[Vec<T>],
        ) -> Vec<T> {
            match group.runtime {
                $(stringify!($group) => with::<nhi_runtime::group::$group<f64>, T>(map, retraction, arguments),)*
                name => panic!("the runtime has no group {name}"),
            }
        }
    };
}

nhi_runtime::for_each_group!(define_map);

fn with<G: Factor, T: Scalar>(map: Map, retraction: Retraction, arguments: &[Vec<T>]) -> Vec<T>
where
    Exp: Retracts<G>,
    Cayley: Retracts<G>,
    Ccsk: Retracts<G>,
    Exp1: Retracts<G>,
    Exp2: Retracts<G>,
    Exp4: Retracts<G>,
{
    let numbers = match retraction {
        Retraction::Exp => of::<G, Exp, T>,
        Retraction::Cayley => of::<G, Cayley, T>,
        Retraction::Ccsk => of::<G, Ccsk, T>,
        Retraction::Exp1 => of::<G, Exp1, T>,
        Retraction::Exp2 => of::<G, Exp2, T>,
        Retraction::Exp4 => of::<G, Exp4, T>,
    };
    numbers(map, arguments)
}

fn vector<V: Vector<T>, T: Scalar>(entries: &[T]) -> V {
    let mut vector = V::splat(T::from_f64(0.0));
    vector.as_mut().copy_from_slice(entries);
    vector
}

fn of<G: Factor, R: Retracts<G>, T: Scalar>(map: Map, arguments: &[Vec<T>]) -> Vec<T> {
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
        Map::StartCurvature => R::k_tangent(&vector(first), &vector(second)).as_ref().to_vec(),
    }
}
