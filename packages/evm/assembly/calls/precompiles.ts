/** Precompiles that cost less than a call of the host (yellow paper, appendix E.1). An identifier is the address before any move. */
import {
  CONTEXT,
  LIMIT_RETURN_DATA,
  PARAM_IDENTITY_BASE,
  PARAM_IDENTITY_WORD,
  PARAM_SHA256_BASE,
  PARAM_SHA256_WORD,
  RETURN_DATA,
  RETURN_DATA_BYTES,
} from '../../src/wasm/layout'
import { limit } from '../host'
import { sha256 } from '../math'
import { Call } from './call'

const SHA256: u32 = 2
const IDENTITY: u32 = 4
const HASH_BYTES: u32 = 32
/** The host's instructions for SHA-256 hash longer inputs faster. */
const SHORT_INPUT_BYTES: u32 = 256
const OUT_OF_GAS: i64 = -1

// @ts-ignore: decorator
@inline
export function isInCore(id: u32): bool {
  return id == IDENTITY || (id == SHA256 && Call.inputLength <= SHORT_INPUT_BYTES)
}

/** As the host's `precompile`. */
export function precompileInCore(id: u32, lengthOut: usize): i64 {
  const length = Call.inputLength
  const words = <i64>((<u64>length + 31) >> 5)
  const price = id == SHA256
    ? load<u32>(CONTEXT, PARAM_SHA256_BASE) + load<u32>(CONTEXT, PARAM_SHA256_WORD) * words
    : load<u32>(CONTEXT, PARAM_IDENTITY_BASE) + load<u32>(CONTEXT, PARAM_IDENTITY_WORD) * words
  if (price > Call.gas) return OUT_OF_GAS
  if (id == SHA256) {
    sha256(Call.input, length, RETURN_DATA)
    store<u32>(lengthOut, HASH_BYTES)
    return price
  }
  if (length > <u32>RETURN_DATA_BYTES) limit(LIMIT_RETURN_DATA)
  // memory.copy traps beyond the end of the linear memory even if the range is empty.
  if (length != 0) memory.copy(RETURN_DATA, Call.input, length)
  store<u32>(lengthOut, length)
  return price
}
