const WINDOW_BITS = 4
/** Below this exponent a table costs more than it saves. */
const SHORT_EXPONENT = 2n ** 24n

export function powerModulo(base: bigint, exponent: bigint, modulus: bigint): bigint {
  const reduced = base % modulus
  if (reduced === 0n && exponent > 0n) return 0n
  return exponent < SHORT_EXPONENT ? bitByBit(reduced, exponent, modulus) : byWindows(reduced, exponent, modulus)
}

function bitByBit(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n % modulus
  for (const bit of exponent.toString(2)) {
    result = (result * result) % modulus
    if (bit === '1') result = (result * base) % modulus
  }
  return result
}

function byWindows(base: bigint, exponent: bigint, modulus: bigint): bigint {
  const powers = [1n % modulus]
  while (powers.length < 2 ** WINDOW_BITS) powers.push(((powers.at(-1) as bigint) * base) % modulus)
  let result = 1n % modulus
  for (const digit of exponent.toString(2 ** WINDOW_BITS)) {
    for (let i = 0; i < WINDOW_BITS; i++) result = (result * result) % modulus
    const value = Number.parseInt(digit, 2 ** WINDOW_BITS)
    if (value !== 0) result = (result * (powers[value] as bigint)) % modulus
  }
  return result
}
