use super::{Cayley, Ccsk, Exp, Group, Retraction, larger};

/// Products: pairs of poses with pairs of velocities and block-diagonal maps. Nested pairs give more factors.
impl<G, H> Group for (G, H)
where
    G: Group,
    H: Group<Scalar = G::Scalar>,
{
    type Scalar = G::Scalar;
    type Algebra = (G::Algebra, H::Algebra);
    type Operator = (G::Operator, H::Operator);
    type Entries = (G::Entries, H::Entries);
    const DIM: usize = G::DIM + H::DIM;

    #[inline]
    fn identity() -> Self {
        (G::identity(), H::identity())
    }
    #[inline]
    fn product(self, h: Self) -> Self {
        (self.0.product(h.0), self.1.product(h.1))
    }
    #[inline]
    fn inverse(self) -> Self {
        (self.0.inverse(), self.1.inverse())
    }
    #[inline]
    fn entries(self) -> Self::Entries {
        (self.0.entries(), self.1.entries())
    }
    #[inline]
    fn tangent(self, x: Self::Algebra) -> Self::Entries {
        (self.0.tangent(x.0), self.1.tangent(x.1))
    }
    #[inline]
    fn adjoint(self) -> Self::Operator {
        (self.0.adjoint(), self.1.adjoint())
    }
    #[inline]
    fn ad(x: Self::Algebra) -> Self::Operator {
        (G::ad(x.0), H::ad(x.1))
    }
    #[inline]
    fn ad_star_on(mu: Self::Algebra) -> Self::Operator {
        (G::ad_star_on(mu.0), H::ad_star_on(mu.1))
    }
    #[inline]
    fn defect(self) -> f64 {
        larger(self.0.defect(), self.1.defect())
    }
    #[inline]
    fn normalized(self) -> Self {
        (self.0.normalized(), self.1.normalized())
    }
}

/// The retractions that every group defines itself; the truncations follow from [`Exp`].
macro_rules! factor_by_factor {
    ($($retraction:ident)*) => {$(
        impl<G, H> Retraction<(G, H)> for $retraction
        where
            G: Group,
            H: Group<Scalar = G::Scalar>,
            Self: Retraction<G> + Retraction<H>,
        {
            #[inline]
            fn tau(x: (G::Algebra, H::Algebra)) -> (G, H) {
                (Self::tau(x.0), Self::tau(x.1))
            }
            #[inline]
            fn tau_inv(g: (G, H)) -> (G::Algebra, H::Algebra) {
                (Self::tau_inv(g.0), Self::tau_inv(g.1))
            }
            factor_by_factor!(@tangent dtau dtau_inv dtau_left dtau_left_inv);
            factor_by_factor!(@derivative k k_left);
            #[inline]
            fn reaches(x: (G::Algebra, H::Algebra)) -> bool {
                <Self as Retraction<G>>::reaches(x.0) && <Self as Retraction<H>>::reaches(x.1)
            }
        }
    )*};
    (@tangent $($f:ident)*) => {$(
        #[inline]
        fn $f(x: (G::Algebra, H::Algebra)) -> (G::Operator, H::Operator) {
            (<Self as Retraction<G>>::$f(x.0), <Self as Retraction<H>>::$f(x.1))
        }
    )*};
    (@derivative $($f:ident)*) => {$(
        #[inline]
        fn $f(
            x: (G::Algebra, H::Algebra),
            mu: (G::Algebra, H::Algebra),
        ) -> (G::Operator, H::Operator) {
            (<Self as Retraction<G>>::$f(x.0, mu.0), <Self as Retraction<H>>::$f(x.1, mu.1))
        }
    )*};
}

factor_by_factor! { Exp Cayley Ccsk }
