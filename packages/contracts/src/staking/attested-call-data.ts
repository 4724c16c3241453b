/**
 * Attestations in the call data of a transaction that was seen to attest: sent to the Staking contract itself, or to
 * another that passes on whole calls. One that puts its call together from parts hides what was signed.
 */
import { bytesToBigint, bytesToHex, concatBytes, type Hash, hexToBytes, numberToBytes } from '@keelson/primitives'
import type { AttestedEvent } from './staking-events.ts'
import type { SignedAttestation } from './staking-transactions.ts'

const WORD = 32
/** Epoch, checkpoint number and hash, L1 origin number and hash; the signature's place follows. */
const ATTESTATION_WORDS = 5
const SIGNATURE_BYTES = 65
/** A block has no room for more. */
const MOST = 256

/** Those of the event's epoch and checkpoint, in order; whose they are only their signatures say. */
export function findAttestedCalls(
  input: Uint8Array,
  { epoch, checkpointNumber, checkpointHash }: Pick<AttestedEvent, 'epoch' | 'checkpointNumber' | 'checkpointHash'>,
): readonly SignedAttestation[] {
  const beginning = concatBytes(numberToBytes(epoch, WORD), numberToBytes(checkpointNumber, WORD), hexToBytes(checkpointHash))
  const found: SignedAttestation[] = []
  for (let at = input.indexOf(0); at >= 0 && found.length < MOST; at = input.indexOf(0, at + 1)) {
    if (!beginning.every((byte, index) => input[at + index] === byte)) continue
    const signature = signatureAt(input, at)
    const l1OriginNumber = smallWord(input, at + 3 * WORD)
    if (signature === null || l1OriginNumber === null) continue
    const l1OriginHash = bytesToHex(input.subarray(at + 4 * WORD, at + 5 * WORD)) as Hash
    found.push({ attestation: { epoch, checkpointNumber, checkpointHash, l1OriginNumber, l1OriginHash }, signature })
  }
  return found
}

function signatureAt(input: Uint8Array, args: number): Uint8Array | null {
  const offset = smallWord(input, args + ATTESTATION_WORDS * WORD)
  if (offset === null) return null
  const length = smallWord(input, args + offset)
  const start = args + offset + WORD
  return length === SIGNATURE_BYTES && start + length <= input.length ? input.slice(start, start + length) : null
}

/** Null when it is not there, or is no number that fits. */
function smallWord(input: Uint8Array, at: number): number | null {
  const word = input.subarray(at, at + WORD)
  if (word.length < WORD) return null
  const value = bytesToBigint(word)
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : null
}
