let fuel: i32 = 0

export function refuel(jumps: i32): void {
  fuel = jumps
}

// @ts-ignore: decorator
@inline
export function takeFuel(): bool {
  return --fuel <= 0
}
