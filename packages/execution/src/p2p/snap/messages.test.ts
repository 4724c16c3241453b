import assert from 'node:assert/strict'
import { CodecError, rlpEncode } from '@keelson/primitives'
import fc from 'fast-check'
import { decodeIdentified, encodeIdentified } from '../requests/identified.ts'
import { SNAP_CODES, SNAP_LIMITS } from './codes.ts'
import { decodeRequest, requestFields, type SnapRequest } from './requests.ts'
import { decodeResponse, encodeResponse, type SnapResponse } from './responses.ts'

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })
const id = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const bytes = fc.nat(SNAP_LIMITS.softResponseBytes)
const blobs = fc.array(fc.uint8Array({ maxLength: 100 }), { maxLength: 10 })
const slot = fc.record({ key: hash, value: fc.uint8Array({ minLength: 1, maxLength: 33 }) })
const account = fc.record({ key: hash, value: blobs.map((fields) => rlpEncode(fields)) })
const paths = fc.array(fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 4 }), { maxLength: 20 })

const anyRequest: fc.Arbitrary<SnapRequest> = fc.oneof(
  fc.record({
    code: fc.constant(SNAP_CODES.getAccountRange),
    id,
    request: fc.record({ root: hash, origin: hash, limit: hash, bytes }),
  }),
  fc.record({
    code: fc.constant(SNAP_CODES.getStorageRanges),
    id,
    request: fc.record({ root: hash, accounts: fc.array(hash, { maxLength: 5 }), origin: hash, limit: hash, bytes }),
  }),
  fc.record({ code: fc.constant(SNAP_CODES.getByteCodes), id, request: fc.record({ hashes: fc.array(hash, { maxLength: 5 }), bytes }) }),
  fc.record({ code: fc.constant(SNAP_CODES.getTrieNodes), id, request: fc.record({ root: hash, paths, bytes }) }),
)
const anyResponse: fc.Arbitrary<SnapResponse> = fc.oneof(
  fc.record({
    code: fc.constant(SNAP_CODES.accountRange),
    id,
    response: fc.record({ accounts: fc.array(account, { maxLength: 5 }), proof: blobs }),
  }),
  fc.record({
    code: fc.constant(SNAP_CODES.storageRanges),
    id,
    response: fc.record({ slots: fc.array(fc.array(slot, { maxLength: 5 }), { maxLength: 5 }), proof: blobs }),
  }),
  fc.record({ code: fc.constantFrom(SNAP_CODES.byteCodes, SNAP_CODES.trieNodes), id, response: blobs }),
)

/** fast-check makes records without a prototype. */
const plain = <T>(record: T): T => structuredClone(record)

const encodeRequest = (request: SnapRequest) => encodeIdentified(request.id, requestFields(request))
const readResponse = (code: number, payload: Uint8Array) => decodeResponse(code, decodeIdentified(payload).fields)

function codecErrorOnly(decode: () => unknown): void {
  try {
    decode()
  } catch (error) {
    assert.ok(error instanceof CodecError, String(error))
  }
}

describe('messages of snap/1', () => {
  it('are read as they were written', () => {
    fc.assert(fc.property(anyRequest, (request) => assert.deepEqual(decodeRequest(request.code, encodeRequest(request)), plain(request))))
    fc.assert(
      fc.property(anyResponse, (response) =>
        assert.deepEqual(readResponse(response.code, encodeResponse(response)), plain(response.response)),
      ),
    )
  })

  it('of random or damaged bytes are refused as such', () => {
    fc.assert(
      fc.property(fc.nat(8), fc.uint8Array({ maxLength: 200 }), (code, noise) => {
        codecErrorOnly(() => decodeRequest(code, noise))
        codecErrorOnly(() => readResponse(code, noise))
      }),
    )
    fc.assert(
      fc.property(anyRequest, anyResponse, fc.nat(), fc.nat(255), (request, response, where, byte) => {
        for (const encoded of [encodeRequest(request), encodeResponse(response)]) {
          encoded[where % encoded.length] = byte
          codecErrorOnly(() => decodeRequest(request.code, encoded))
          codecErrorOnly(() => readResponse(response.code, encoded))
        }
      }),
    )
  })

  it('are refused with more items, or larger, than the limits say', () => {
    const root = new Uint8Array(32)
    const many = new Array<Uint8Array>(SNAP_LIMITS.items + 1).fill(root)
    const encodings: [number, Uint8Array][] = [
      [SNAP_CODES.getByteCodes, rlpEncode([1n, many, 1n])],
      [SNAP_CODES.getStorageRanges, rlpEncode([1n, root, many, root, root, 1n])],
      [SNAP_CODES.getTrieNodes, rlpEncode([1n, root, many.map((path) => [path]), 1n])],
      [SNAP_CODES.getTrieNodes, rlpEncode([1n, root, [[root, ...many]], 1n])],
      [SNAP_CODES.getTrieNodes, rlpEncode([1n, root, [[]], 1n])],
    ]
    for (const [code, payload] of encodings) assert.throws(() => decodeRequest(code, payload), { code: 'codec/rlp' })
    assert.throws(() => readResponse(SNAP_CODES.trieNodes, rlpEncode([1n, many])), { code: 'codec/rlp' })
    assert.throws(() => readResponse(SNAP_CODES.byteCodes, rlpEncode([1n, [new Uint8Array(SNAP_LIMITS.responseBytes)]])), {
      code: 'codec/rlp',
    })
    const proof = new Array<Uint8Array>(SNAP_LIMITS.proofNodes + 1).fill(root)
    assert.throws(() => readResponse(SNAP_CODES.accountRange, rlpEncode([1n, [], proof])), { code: 'codec/rlp' })
  })

  it('limit the bytes that a request may ask for', () => {
    const request = { hashes: [], bytes: 2 ** 40 }
    const read = decodeRequest(SNAP_CODES.getByteCodes, encodeRequest({ code: SNAP_CODES.getByteCodes, id: 1n, request }))
    assert.equal(read?.request.bytes, SNAP_LIMITS.softResponseBytes)
  })
})
