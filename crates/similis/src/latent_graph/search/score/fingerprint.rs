//! Fingerprints of sets of points.

/// How many points a cluster has, and 128 bits that depend on all of them.
pub(crate) type Fingerprint = (usize, [u64; 2]);

/// The fingerprint of points in rising order: lists as long as the points themselves would take their room many times over.
pub(crate) fn fingerprint(members: &[usize]) -> Fingerprint {
    let mut bits = [0x9e37_79b9_7f4a_7c15u64, 0xc2b2_ae3d_27d4_eb4f];
    for &i in members {
        for (bits, odd) in bits.iter_mut().zip([0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53]) {
            *bits = (*bits ^ i as u64).wrapping_mul(odd);
            *bits ^= *bits >> 32;
        }
    }
    (members.len(), bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_sets_of_sixteen_points_have_the_same() {
        let set = |bits: u32| (0..16).filter(|i| bits >> i & 1 == 1).collect::<Vec<usize>>();
        for half in 0..2 {
            let mut seen: Vec<u64> = (0..1 << 16).map(|bits| fingerprint(&set(bits)).1[half]).collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), 1 << 16);
        }
    }
}
