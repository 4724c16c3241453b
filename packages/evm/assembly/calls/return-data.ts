import { LIMIT_RETURN_DATA, RETURN_DATA, RETURN_DATA_BYTES } from '../../src/wasm/layout'
import { limit } from '../host'

let size: u32 = 0

// @ts-ignore: decorator
@inline
export function returnDataSize(): u32 {
  return size
}

// @ts-ignore: decorator
@inline
export function setReturnDataSize(bytes: u32): void {
  size = bytes
}

export function setReturnData(from: usize, bytes: u32): void {
  if (bytes > <u32>RETURN_DATA_BYTES) limit(LIMIT_RETURN_DATA)
  size = bytes
  if (bytes != 0) memory.copy(RETURN_DATA, from, bytes)
}
