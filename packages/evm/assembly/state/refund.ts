let refund: i64 = 0

// @ts-ignore: decorator
@inline
export function refundCounter(): i64 {
  return refund
}

// @ts-ignore: decorator
@inline
export function setRefund(value: i64): void {
  refund = value
}

// @ts-ignore: decorator
@inline
export function addRefund(gas: i64): void {
  refund += gas
}
