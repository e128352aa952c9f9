//! Dendrograms as text, and the order of their leaves.

use std::fmt::Write as _;

use similis::graph::Merge;

/// Returns the items in an order in which no lines of a dendrogram cross.
///
/// Items that no merge names come last, in their own order.
pub fn leaf_order(merges: &[Merge], n_items: usize) -> Vec<usize> {
    let mut order = Vec::with_capacity(n_items);
    let mut joined = vec![false; n_items + merges.len()];
    merges.iter().for_each(|merge| {
        joined[merge.first] = true;
        joined[merge.second] = true;
    });
    // Each tree of a forest by its root, then items that are no part of one.
    for root in (n_items..n_items + merges.len()).chain(0..n_items).filter(|&group| !joined[group]) {
        let mut next = vec![root];
        while let Some(group) = next.pop() {
            match group.checked_sub(n_items) {
                Some(merge) => next.extend([merges[merge].second, merges[merge].first]),
                None => order.push(group),
            }
        }
    }
    order
}

/// Returns the merges as SciPy's linkage matrix: a header, then `first,second,height,size` for each merge.
///
/// Groups are numbered as SciPy does: items from 0, then groups in the order in which they were made.
pub fn csv(merges: &[Merge]) -> String {
    let mut text = "first,second,height,size\n".to_owned();
    for Merge { first, second, height, size } in merges {
        let _ = writeln!(text, "{first},{second},{height},{size}");
    }
    text
}

/// Returns the dendrogram in Newick's format, with lengths of branches.
///
/// Every item lies as deep as every other, and the path between two items is as long as the height at which they are joined.
///
/// ```
/// use similis::graph::Merge;
/// use similis_cli::linkage::newick;
///
/// let merges = [
///     Merge { first: 0, second: 1, height: 1.0, size: 2 },
///     Merge { first: 2, second: 3, height: 4.0, size: 3 },
/// ];
/// let name = |i: usize| ["a", "b", "c d"][i].to_owned();
/// assert_eq!(newick(&merges, 3, &name), "('c d':2,(a:0.5,b:0.5):1.5);\n");
/// ```
pub fn newick(merges: &[Merge], n_items: usize, name: &dyn Fn(usize) -> String) -> String {
    let Some(root) = (n_items + merges.len()).checked_sub(1) else { return String::from(";\n") };
    let height = |group: usize| group.checked_sub(n_items).map_or(0.0, |merge| merges[merge].height);
    let mut text = String::new();
    // What is still to be written, the next at the end.
    let mut next = vec![Piece::Group { group: root, branch: None }];
    while let Some(piece) = next.pop() {
        match piece {
            Piece::Mark(mark) => text.push(mark),
            Piece::Length(length) => {
                let _ = write!(text, ":{length}");
            }
            Piece::Group { group, branch } => {
                next.extend(branch.map(Piece::Length));
                match group.checked_sub(n_items) {
                    None => text += &quoted(&name(group)),
                    Some(at) => {
                        let Merge { first, second, height: top, .. } = merges[at];
                        let child = |group| Piece::Group { group, branch: Some((top - height(group)) / 2.0) };
                        text.push('(');
                        next.extend([Piece::Mark(')'), child(second), Piece::Mark(','), child(first)]);
                    }
                }
            }
        }
    }
    text + ";\n"
}

/// A part of a tree that is written later.
enum Piece {
    Mark(char),
    Length(f64),
    Group { group: usize, branch: Option<f64> },
}

/// Returns a name as Newick writes it: in quotation marks if it holds a mark of the format.
fn quoted(name: &str) -> String {
    let special = |character: char| character.is_whitespace() || "()[]{}:;,'\"".contains(character);
    if name.is_empty() || name.contains(special) {
        format!("'{}'", name.replace('\'', "''"))
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merge(first: usize, second: usize, height: f64, size: usize) -> Merge {
        Merge { first, second, height, size }
    }

    #[test]
    fn leaves_of_a_group_lie_side_by_side() {
        let merges = [merge(0, 3, 1.0, 2), merge(1, 2, 2.0, 2), merge(4, 5, 3.0, 4)];
        assert_eq!(leaf_order(&merges, 4), [0, 3, 1, 2]);
        // A forest: the tree first, then the item that is alone.
        assert_eq!(leaf_order(&merges[..1], 3 + 1), [0, 3, 1, 2]);
        assert_eq!(leaf_order(&[], 2), [0, 1]);
    }

    #[test]
    fn a_chain_of_many_items_is_written_without_recursion() {
        let n = 100_000;
        let merges: Vec<Merge> =
            (0..n - 1).map(|at| merge(if at == 0 { 0 } else { n + at - 1 }, at + 1, 1.0, at + 2)).collect();
        let text = newick(&merges, n, &|i| i.to_string());
        assert_eq!(text.matches('(').count(), n - 1);
        assert!(text.ends_with(":0.5);\n"), "{}", &text[text.len() - 40..]);
    }

    #[test]
    fn names_with_marks_are_quoted() {
        assert_eq!(quoted("E. coli"), "'E. coli'");
        assert_eq!(quoted("it's"), "'it''s'");
        assert_eq!(quoted("E_coli-1"), "E_coli-1");
        assert_eq!(newick(&[], 1, &|_| "a".to_owned()), "a;\n");
    }
}
