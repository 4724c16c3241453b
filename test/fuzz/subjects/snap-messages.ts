/** A snap message is refused, or encodes to a message that decodes to the same. */
import assert from 'node:assert/strict'
import type { RlpInput } from '@keelson/primitives'
import fc, { type Arbitrary } from 'fast-check'
import { decodeIdentified, encodeIdentified } from '../../../packages/execution/src/p2p/requests/identified.ts'
import { isResponse, SNAP_CODES } from '../../../packages/execution/src/p2p/snap/codes.ts'
import { decodeRequest, requestFields } from '../../../packages/execution/src/p2p/snap/requests.ts'
import { decodeResponse, encodeResponse, type SnapResponse } from '../../../packages/execution/src/p2p/snap/responses.ts'
import { holdMemory } from '../held-memory.ts'
import { orRefused } from '../p2p/coded.ts'
import { hostileRlp } from '../p2p/hostile-rlp.ts'
import { defineSubject } from '../subject.ts'

interface Case {
  readonly code: number
  readonly payload: Uint8Array
}

const hash: Arbitrary<RlpInput> = fc.constantFrom(new Uint8Array(32).fill(0x11), new Uint8Array(32).fill(0xff), new Uint8Array(0))
const small: Arbitrary<RlpInput> = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const bytes: Arbitrary<RlpInput> = fc.uint8Array({ maxLength: 40 })
const many = (item: Arbitrary<RlpInput>): Arbitrary<RlpInput> => fc.array(item, { maxLength: 4 })
const fields = (...parts: readonly Arbitrary<RlpInput>[]) => fc.tuple(...parts) as Arbitrary<RlpInput>
const account = fields(hash, fields(small, small, hash, hash))
const slot = fields(hash, bytes)

const BODIES: Readonly<Record<number, Arbitrary<RlpInput>>> = {
  [SNAP_CODES.getAccountRange]: fields(small, hash, hash, hash, small),
  [SNAP_CODES.accountRange]: fields(small, many(account), many(bytes)),
  [SNAP_CODES.getStorageRanges]: fields(small, hash, many(hash), hash, hash, small),
  [SNAP_CODES.storageRanges]: fields(small, many(many(slot)), many(bytes)),
  [SNAP_CODES.getByteCodes]: fields(small, many(hash), small),
  [SNAP_CODES.byteCodes]: fields(small, many(bytes)),
  [SNAP_CODES.getTrieNodes]: fields(small, hash, many(many(bytes)), small),
  [SNAP_CODES.trieNodes]: fields(small, many(bytes)),
}

function readResponse(code: number, payload: Uint8Array): SnapResponse {
  const { id, fields } = decodeIdentified(payload)
  return { code, id, response: decodeResponse(code, fields) } as SnapResponse
}

export const snapMessageSubject = defineSubject<Case>({
  name: 'snap-messages',
  cases: 100_000,
  caseLimitMs: 5_000,
  async open() {
    const memory = holdMemory()
    return {
      arbitrary: fc
        .constantFrom(...Object.keys(BODIES).map(Number))
        .chain((code) => hostileRlp(BODIES[code] as Arbitrary<RlpInput>).map((payload) => ({ code, payload }))),
      check({ code, payload }) {
        const request = memory.during(payload.length, () => orRefused(() => decodeRequest(code, payload)))
        if (request !== null) assert.deepEqual(decodeRequest(code, encodeIdentified(request.id, requestFields(request))), request)
        if (!isResponse(code)) return
        const response = memory.during(payload.length, () => orRefused(() => readResponse(code, payload)))
        if (response !== null) assert.deepEqual(readResponse(code, encodeResponse(response)), response)
      },
      close: async () => memory.close(),
    }
  },
})
