/** Counts jumps and calls between two visits to the driver, which polls the host and notes hot code. */

let fuel: i32 = 0

export function refuel(jumps: i32): void {
  fuel = jumps
}

/** Returns true when the count is used up. */
// @ts-ignore: decorator
@inline
export function takeFuel(): bool {
  return --fuel <= 0
}
