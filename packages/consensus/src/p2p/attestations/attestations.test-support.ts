import {
  type Attestation,
  attestationDigest,
  encodeStakingSignature,
  encodeWeightAt,
  type SignedAttestation,
  STAKING_ANCHOR,
  STAKING_WORDS,
} from '@keelson/contracts'
import {
  type Address,
  bigintToBytes,
  bytesToBigint,
  bytesToHex,
  createPureCrypto,
  type Hash,
  HISTORY_STORAGE,
  hexToBytes,
  toAddress,
  toHash,
} from '@keelson/primitives'
import type { ContractReader } from '../../ports.ts'

export const crypto = createPureCrypto()
export const EPOCH_BLOCKS = 10
export const DOMAIN = { chainId: 84532n, contract: toAddress(`0x${'57'.repeat(20)}`) }
export const ANCHOR = toHash(`0x${'a2'.repeat(32)}`)
export const RIGHT = toHash(`0x${'01'.repeat(32)}`)

const key = (n: number) => new Uint8Array(32).fill(n)
export const addressOf = (n: number): Address => toAddress(crypto.addressOf(key(n)))

export function attest(by: number, epoch: number, changes: Partial<Attestation> = {}): SignedAttestation {
  const attestation: Attestation = {
    epoch,
    checkpointNumber: epoch * EPOCH_BLOCKS - 2,
    checkpointHash: RIGHT,
    l1OriginNumber: 3,
    l1OriginHash: toHash(`0x${'11'.repeat(32)}`),
    ...changes,
  }
  return { attestation, signature: encodeStakingSignature(crypto.sign(attestationDigest(DOMAIN, ANCHOR, attestation), key(by))) }
}

export interface StubContract {
  readonly reader: ContractReader
  readonly active: Set<Address>
  down: boolean
  anchor: string
  asked: number
}

export function createStubContract(...active: readonly number[]): StubContract {
  const stub: StubContract = {
    active: new Set(active.map(addressOf)),
    down: false,
    anchor: ANCHOR,
    asked: 0,
    reader: {
      async code() {
        if (stub.down) throw new Error('connection refused')
        return Uint8Array.of(1)
      },
      async call(_, data) {
        if (stub.down) throw new Error('connection refused')
        const call = bytesToHex(data)
        if (call === bytesToHex(STAKING_WORDS.epochBlocks)) return bigintToBytes(BigInt(EPOCH_BLOCKS), 32)
        if (call === bytesToHex(STAKING_ANCHOR)) return hexToBytes(stub.anchor)
        const selector = bytesToHex(encodeWeightAt(addressOf(1), 1).subarray(0, 4))
        if (!call.startsWith(selector)) throw new Error(`unexpected call ${call.slice(0, 10)}`)
        stub.asked++
        return bigintToBytes(stub.active.has(toAddress(data.subarray(16, 36))) ? 1_000n : 0n, 32)
      },
    },
  }
  return stub
}

export function withBlockHashes(reader: ContractReader, hashOf: (number: number) => Promise<Hash | null>): ContractReader {
  return {
    ...reader,
    async call(to, data) {
      if (to !== HISTORY_STORAGE) return reader.call(to, data)
      const hash = await hashOf(Number(bytesToBigint(data)))
      return hash === null ? new Uint8Array(32) : hexToBytes(hash)
    },
  }
}
