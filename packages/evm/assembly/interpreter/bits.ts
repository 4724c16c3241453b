// @ts-ignore: decorator
@inline
export function bitAnd(at: usize, other: usize): void {
  v128.store(at, v128.and(v128.load(at), v128.load(other)))
  v128.store(at, v128.and(v128.load(at, 16), v128.load(other, 16)), 16)
}

// @ts-ignore: decorator
@inline
export function bitOr(at: usize, other: usize): void {
  v128.store(at, v128.or(v128.load(at), v128.load(other)))
  v128.store(at, v128.or(v128.load(at, 16), v128.load(other, 16)), 16)
}

// @ts-ignore: decorator
@inline
export function bitXor(at: usize, other: usize): void {
  v128.store(at, v128.xor(v128.load(at), v128.load(other)))
  v128.store(at, v128.xor(v128.load(at, 16), v128.load(other, 16)), 16)
}

// @ts-ignore: decorator
@inline
export function bitNot(at: usize): void {
  v128.store(at, v128.not(v128.load(at)))
  v128.store(at, v128.not(v128.load(at, 16)), 16)
}

// @ts-ignore: decorator
@inline
export function swapWords(a: usize, b: usize): void {
  const a0 = v128.load(a)
  const a1 = v128.load(a, 16)
  const b0 = v128.load(b)
  const b1 = v128.load(b, 16)
  v128.store(a, b0)
  v128.store(a, b1, 16)
  v128.store(b, a0)
  v128.store(b, a1, 16)
}
