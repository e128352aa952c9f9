//! Trees that know the dearest link on the path between any two points while links come and go, each in $O(\log n)$
//! amortised: link-cut trees (Sleator and Tarjan 1983).

use std::cmp::Ordering;

/// Marks a node, link or half that does not exist.
pub(crate) const NONE: u32 = u32::MAX;

/// Where a link stands in the order that trees are built by: key, then smaller end, then larger end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rank {
    pub(crate) key: f64,
    /// The smaller end first.
    pub(crate) ends: [u32; 2],
}

impl Rank {
    /// Whether this link is taken before the other: no two links are equal, so every tree is unique.
    #[inline]
    pub(crate) fn before(&self, other: &Self) -> bool {
        self.key < other.key || (self.key == other.key && self.ends < other.ends)
    }

    /// The order in which links are taken.
    #[inline]
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        self.key.total_cmp(&other.key).then(self.ends.cmp(&other.ends))
    }
}

/// A point or a link, in the splay tree of a path.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The node above in the splay tree; for its root, the node of another path that this path hangs from.
    parent: u32,
    /// The nodes nearer to the root of the tree, and those farther.
    children: [u32; 2],
    /// The dearest link at and below this node of the splay tree.
    dearest: u32,
    /// The key of that link.
    key: f64,
    /// Whether near and far are still to be swapped below.
    flipped: bool,
}

const ALONE: Node = Node { parent: NONE, children: [NONE; 2], dearest: NONE, key: 0.0, flipped: false };

/// Points, and between them links in numbered slots; the points are nodes 0 to n - 1, slot s is node n + s.
#[derive(Clone, Debug)]
pub(crate) struct LinkCut {
    n_points: u32,
    nodes: Vec<Node>,
    ranks: Vec<Rank>,
}

impl LinkCut {
    /// Points without links, and room for as many links as they can have.
    pub(crate) fn new(n_points: usize) -> Self {
        let unused = Rank { key: 0.0, ends: [NONE; 2] };
        Self { n_points: n_points as u32, nodes: vec![ALONE; 2 * n_points], ranks: vec![unused; n_points] }
    }

    /// The rank of the link in a slot.
    #[inline]
    pub(crate) fn rank(&self, slot: u32) -> &Rank {
        &self.ranks[slot as usize]
    }

    /// Gives an empty slot the rank of the link that it is to hold.
    pub(crate) fn set_rank(&mut self, slot: u32, rank: Rank) {
        self.ranks[slot as usize] = rank;
    }

    /// Links the ends of an empty slot's rank, which no path joins.
    pub(crate) fn link(&mut self, slot: u32) {
        let [below, above] = self.ranks[slot as usize].ends;
        // The bound on the cost counts the accesses of both ends.
        self.access(above);
        self.hang(slot, below);
    }

    /// Hangs one end of an empty slot's rank, `below`, from the other: $O(1)$ if `below` is alone.
    pub(crate) fn hang(&mut self, slot: u32, below: u32) {
        let Rank { key, ends: [a, b] } = self.ranks[slot as usize];
        let above = if a == below { b } else { a };
        let node = self.n_points + slot;
        self.evert(below);
        self.nodes[node as usize] = Node { parent: above, dearest: slot, key, ..ALONE };
        self.nodes[below as usize].parent = node;
    }

    /// Removes the link in a slot.
    pub(crate) fn cut(&mut self, slot: u32) {
        let node = self.n_points + slot;
        let [root, other] = self.ranks[slot as usize].ends;
        self.evert(root);
        self.detach_nearer(node);
        self.detach_nearer(other);
    }

    /// The slot of the dearest link on the path from the root, the point that was last everted, to another point of its tree.
    pub(crate) fn dearest_from_root(&mut self, to: u32) -> u32 {
        self.access(to);
        self.nodes[to as usize].dearest
    }

    /// Makes a point the root of its tree.
    pub(crate) fn evert(&mut self, point: u32) {
        self.access(point);
        self.nodes[point as usize].flipped ^= true;
    }

    /// Parts a node from the path between it and the root.
    fn detach_nearer(&mut self, node: u32) {
        self.access(node);
        self.push(node);
        let nearer = std::mem::replace(&mut self.nodes[node as usize].children[0], NONE);
        self.nodes[nearer as usize].parent = NONE;
        self.pull(node);
    }

    /// Makes the path from the root to `node`, and no more, one splay tree with `node` on top.
    fn access(&mut self, node: u32) {
        let (mut farther, mut at) = (NONE, node);
        while at != NONE {
            self.splay(at);
            self.nodes[at as usize].children[1] = farther;
            self.pull(at);
            farther = at;
            at = self.nodes[at as usize].parent;
        }
        self.splay(node);
    }

    fn splay(&mut self, node: u32) {
        self.push(node);
        while let Some(above) = self.splay_parent(node) {
            if let Some(top) = self.splay_parent(above) {
                self.push(top);
                self.push(above);
                self.push(node);
                let straight = self.side(above) == self.side(node);
                self.rotate(if straight { above } else { node });
            } else {
                self.push(above);
                self.push(node);
            }
            self.rotate(node);
        }
    }

    /// The parent inside the same splay tree.
    fn splay_parent(&self, node: u32) -> Option<u32> {
        let parent = self.nodes[node as usize].parent;
        (parent != NONE && self.nodes[parent as usize].children.contains(&node)).then_some(parent)
    }

    /// Which child of its parent a node is.
    fn side(&self, node: u32) -> usize {
        usize::from(self.nodes[self.nodes[node as usize].parent as usize].children[1] == node)
    }

    /// Puts a node in the place of its parent in the splay tree.
    fn rotate(&mut self, node: u32) {
        let side = self.side(node);
        let above = self.nodes[node as usize].parent;
        let top = self.nodes[above as usize].parent;
        if self.splay_parent(above).is_some() {
            let side = self.side(above);
            self.nodes[top as usize].children[side] = node;
        }
        let inner = self.nodes[node as usize].children[1 - side];
        self.nodes[above as usize].children[side] = inner;
        if inner != NONE {
            self.nodes[inner as usize].parent = above;
        }
        self.nodes[node as usize].children[1 - side] = above;
        self.nodes[above as usize].parent = node;
        // The node has below it now what its parent had.
        let Node { dearest, key, .. } = self.nodes[above as usize];
        let at = &mut self.nodes[node as usize];
        (at.parent, at.dearest, at.key) = (top, dearest, key);
        self.pull(above);
    }

    /// Hands a pending swap down to the children.
    fn push(&mut self, node: u32) {
        let at = &mut self.nodes[node as usize];
        if at.flipped {
            at.flipped = false;
            at.children.swap(0, 1);
            for child in at.children.into_iter().filter(|&child| child != NONE) {
                self.nodes[child as usize].flipped ^= true;
            }
        }
    }

    /// Recomputes the dearest link at and below a node.
    fn pull(&mut self, node: u32) {
        let mut dearest = node.checked_sub(self.n_points).unwrap_or(NONE);
        let mut key = self.ranks.get(dearest as usize).map_or(0.0, |rank| rank.key);
        for child in self.nodes[node as usize].children.into_iter().filter(|&child| child != NONE) {
            let below = &self.nodes[child as usize];
            let dearer = |a: u32, b: u32| self.ranks[a as usize].ends > self.ranks[b as usize].ends;
            if below.dearest != NONE
                && (dearest == NONE
                    || below.key > key
                    || (below.key == key && dearer(below.dearest, dearest)))
            {
                (dearest, key) = (below.dearest, below.key);
            }
        }
        let at = &mut self.nodes[node as usize];
        (at.dearest, at.key) = (dearest, key);
    }
}
