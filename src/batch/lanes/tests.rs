//! Every operation of every instruction set of this machine, the portable one included, against arithmetic.

use super::portable::Bytes;
use super::{BLOCK, Isa, Kernel, Kind, Lanes, NEVER, Plane, on};
use crate::stream::Stream;

/// All operations, done on every byte of four planes.
#[derive(Clone, Copy)]
struct Everything {
    a: Plane,
    b: Plane,
    c: Plane,
    d: Plane,
}

/// The name of each operation and what came of it: bytes, or the bits of masks.
type Results = Vec<(&'static str, Plane)>;

impl Kernel for Everything {
    type Output = Results;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Results {
        let mut results = Vec::new();
        let mut bytes = |name, f: fn(L, L, L::Mask, L::Mask) -> L| {
            let mut out = Plane::ZERO;
            for at in (0..BLOCK).step_by(L::WIDTH) {
                let [a, b, c, d] = [&self.a, &self.b, &self.c, &self.d].map(|plane| L::load(plane, at));
                f(a, b, a.at_most(c), b.equals(d)).store(&mut out, at);
            }
            results.push((name, out));
        };
        bytes("load, store", |a, _, _, _| a);
        bytes("add", |a, b, _, _| a.add(b));
        bytes("sub", |a, b, _, _| a.sub(b));
        bytes("and", |a, b, _, _| a.and(b));
        bytes("or", |a, b, _, _| a.or(b));
        bytes("keep", |_, b, p, _| b.keep(p));
        bytes("drop", |_, b, p, _| b.drop(p));
        bytes("increment", |_, b, p, _| b.increment(p));
        bytes("select", |a, b, _, q| L::select(q, a, b));
        bytes("zip_low", |a, b, _, _| a.zip_low(b));
        bytes("zip_high", |a, b, _, _| a.zip_high(b));
        bytes("keep nowhere", |a, _, _, _| a.keep(L::nowhere()));
        bytes("look_up", |a, b, _, _| {
            let table = [3, 1, 4, 15, 92, 65, 35, 89, 79, 32, 38, 46, 26, 43, 0, 255];
            L::look_up(table, a.and(L::splat(15))).add(b)
        });
        bytes("reached", |a, b, _, _| {
            let (a, mut reached) = (a.and(L::splat(15)), b);
            for one in 0..NEVER {
                reached = reached.add(reached).add(a.reached(one, NEVER)).add(a.reached(one / 2, one));
            }
            reached
        });
        bytes("splat", |_, b, p, _| L::select(p, b, L::splat(0x9C)));
        let mut bits = |name, f: fn(L, L, L::Mask, L::Mask) -> L::Mask| {
            let mut out = Plane::ZERO;
            for at in (0..BLOCK).step_by(L::WIDTH) {
                let [a, b, c, d] = [&self.a, &self.b, &self.c, &self.d].map(|plane| L::load(plane, at));
                let mask = f(a, b, a.at_most(c), b.equals(d));
                let set = L::bits(mask);
                assert_eq!(L::any(mask), set != 0, "any after {name}");
                for lane in 0..64 {
                    match out.0.get_mut(at + lane) {
                        Some(bit) if lane < L::WIDTH => *bit = (set >> lane & 1) as u8,
                        _ => assert!(set >> lane & 1 == 0, "{name}: a bit beyond the vector"),
                    }
                }
            }
            results.push((name, out));
        };
        bits("equals", |a, b, _, _| a.equals(b));
        bits("at_most", |a, b, _, _| a.at_most(b));
        bits("both", |_, _, p, q| L::both(p, q));
        bits("either", |_, _, p, q| L::either(p, q));
        bits("except", |_, _, p, q| L::except(p, q));
        bits("nowhere", |_, _, _, _| L::nowhere());
        bits("from_bits", |a, b, p, _| L::either(L::from_bits(L::bits(p)), L::except(a.equals(b), a.equals(b))));
        let mut moved = Plane::ZERO;
        for at in (0..BLOCK).step_by(L::WIDTH) {
            // Off every alignment.
            let mut shifted = [0; BLOCK + 1];
            shifted[1..].copy_from_slice(&self.a.0);
            let mut written = [0; BLOCK + 1];
            L::read(&shifted[at + 1..]).write(&mut written[1..]);
            for (to, byte) in moved.0[at..at + L::WIDTH].iter_mut().zip(&written[1..]) {
                *to = *byte as u8;
            }
        }
        results.push(("read, write", moved));
        let mut narrowed = Plane::ZERO;
        for at in (0..BLOCK).step_by(L::WIDTH) {
            L::narrow(&self.a.0.map(i64::from), at).store(&mut narrowed, at);
        }
        results.push(("narrow", narrowed));
        let mut parts = Plane::ZERO;
        for at in (0..BLOCK).step_by(L::WIDTH) {
            for rank in 0..L::WIDTH / 16 {
                parts.0[at + 16 * rank..][..16].copy_from_slice(&L::load(&self.a, at).sixteen(rank));
            }
        }
        results.push(("sixteen", parts));
        results
    }
}

/// All pairs of bytes in the first two planes; random bytes in the others, half of them equal to the first two's.
fn inputs() -> impl Iterator<Item = Everything> {
    let mut draw = Stream::from_seed(1);
    let step = if cfg!(miri) { 341 } else { 1 };
    (0..1024).step_by(step).map(move |number| {
        let pair = |lane: usize| number * BLOCK + lane;
        let a = Plane(std::array::from_fn(|lane| pair(lane) as u8));
        let b = Plane(std::array::from_fn(|lane| (pair(lane) >> 8) as u8));
        let mut near = |plane: &Plane| {
            Plane(plane.0.map(|byte| if draw.draw() >> 63 == 0 { byte } else { (draw.draw() >> 56) as u8 }))
        };
        Everything { a, b, c: near(&a), d: near(&b) }
    })
}

/// What [`Everything`] comes to.
fn expected(input: &Everything) -> Results {
    let Everything { a, b, c, d } = input;
    let each = |f: &dyn Fn(usize) -> u8| Plane(std::array::from_fn(f));
    let (p, q) = (|i: usize| a.0[i] <= c.0[i], |i: usize| b.0[i] == d.0[i]);
    let zip = |i: usize, half: usize| {
        let from = i / 16 * 16 + half * 8 + i % 16 / 2;
        if i.is_multiple_of(2) { a.0[from] } else { b.0[from] }
    };
    vec![
        ("load, store", *a),
        ("add", each(&|i| a.0[i].wrapping_add(b.0[i]))),
        ("sub", each(&|i| a.0[i].wrapping_sub(b.0[i]))),
        ("and", each(&|i| a.0[i] & b.0[i])),
        ("or", each(&|i| a.0[i] | b.0[i])),
        ("keep", each(&|i| if p(i) { b.0[i] } else { 0 })),
        ("drop", each(&|i| if p(i) { 0 } else { b.0[i] })),
        ("increment", each(&|i| b.0[i].wrapping_add(u8::from(p(i))))),
        ("select", each(&|i| if q(i) { a.0[i] } else { b.0[i] })),
        ("zip_low", each(&|i| zip(i, 0))),
        ("zip_high", each(&|i| zip(i, 1))),
        ("keep nowhere", Plane::ZERO),
        (
            "look_up",
            each(&|i| {
                let table = [3_u8, 1, 4, 15, 92, 65, 35, 89, 79, 32, 38, 46, 26, 43, 0, 255];
                table[usize::from(a.0[i] % 16)].wrapping_add(b.0[i])
            }),
        ),
        (
            "reached",
            each(&|i| {
                let from = |number: u8| u8::from(number <= a.0[i] % 16);
                (0..NEVER).fold(b.0[i], |reached, one| {
                    reached.wrapping_mul(2).wrapping_add(2 * from(one)).wrapping_add(from(one / 2))
                })
            }),
        ),
        ("splat", each(&|i| if p(i) { b.0[i] } else { 0x9C })),
        ("equals", each(&|i| u8::from(a.0[i] == b.0[i]))),
        ("at_most", each(&|i| u8::from(a.0[i] <= b.0[i]))),
        ("both", each(&|i| u8::from(p(i) && q(i)))),
        ("either", each(&|i| u8::from(p(i) || q(i)))),
        ("except", each(&|i| u8::from(p(i) && !q(i)))),
        ("nowhere", Plane::ZERO),
        ("from_bits", each(&|i| u8::from(p(i)))),
        ("read, write", *a),
        ("narrow", *a),
        ("sixteen", *a),
    ]
}

#[test]
fn every_operation_does_what_it_is_called() {
    let sets = Isa::detected();
    assert_eq!(sets.last(), Some(&Isa(Kind::Portable)));
    for input in inputs() {
        let expected = expected(&input);
        let of_sets = sets.iter().map(|&set| (set.name(), on(set, input)));
        // What is portable without SSE2, too.
        for (name, found) in of_sets.chain([("bytes", input.run::<Bytes>())]) {
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found, expected, "{name}");
            }
        }
    }
}
