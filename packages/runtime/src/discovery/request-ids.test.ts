import assert from 'node:assert/strict'
import { bytesToBigint, bytesToHex, concatBytes, hexToBytes, rlpDecode, rlpEncode } from '@keelson/primitives'
import { keepIdsOf, type MessageSession } from './request-ids.ts'

/** Neither encrypts nor decrypts. */
function openSession(): MessageSession {
  const session: MessageSession = { encryptMessage: (_from, _to, message) => message, decryptMessage: (_nonce, message) => message }
  keepIdsOf(session)
  return session
}

const NONE = new Uint8Array(0)
const message = (type: number, ...items: Parameters<typeof rlpEncode>[0][]) => concatBytes(Uint8Array.of(type), rlpEncode(items))
const received = (session: MessageSession, raw: Uint8Array) => session.decryptMessage(NONE, raw, NONE)
const sent = (session: MessageSession, raw: Uint8Array) => session.encryptMessage('', '', raw) as Uint8Array

describe('request ids of discovery', () => {
  it('come back with their leading zeros', () => {
    const session = openSession()
    for (const id of ['0x00000001', '0x0000000000000002', '0x00', '0x0102030405060708']) {
      const bytes = hexToBytes(id)
      assert.deepEqual(received(session, message(1, bytes, 5n)), message(1, bytes, 5n))
      const answer = sent(
        session,
        message(2, bytesToBigint(bytes) === 0n ? Uint8Array.of(0) : bytesToBigint(bytes), 7n, Uint8Array.of(127, 0, 0, 1), 30303),
      )
      assert.equal(answer[0], 2)
      const items = rlpDecode(answer.subarray(1)) as Uint8Array[]
      assert.deepEqual(
        items.map((item) => bytesToHex(item)),
        [id, '0x07', '0x7f000001', '0x765f'],
      )
    }
  })

  it('stay in requests of our own and in other messages', () => {
    const session = openSession()
    received(session, message(1, hexToBytes('0x0005'), 5n))
    for (const raw of [message(1, 5n, 1n), message(3, 5n, [1]), message(2, 6n, 1n), Uint8Array.of(2), Uint8Array.of(2, 0xff), NONE]) {
      assert.deepEqual(sent(session, raw), raw)
    }
  })

  it('of more than 8 bytes make a message that is dropped', () => {
    assert.deepEqual(received(openSession(), message(1, new Uint8Array(9).fill(1), 5n)), Uint8Array.of(0))
  })

  it('are forgotten beyond 16 of a session', () => {
    const session = openSession()
    for (let i = 1; i <= 17; i++) received(session, message(1, Uint8Array.of(0, i), 5n))
    const idOf = (raw: Uint8Array) => bytesToHex((rlpDecode(raw.subarray(1)) as Uint8Array[])[0] as Uint8Array)
    assert.equal(idOf(sent(session, message(2, 1n, 7n))), '0x01')
    assert.equal(idOf(sent(session, message(2, 17n, 7n))), '0x0011')
  })

  it('of malformed requests do no harm', () => {
    const session = openSession()
    for (const raw of [NONE, Uint8Array.of(1), Uint8Array.of(1, 0x80), Uint8Array.of(1, 0xc1, 0xc0), Uint8Array.of(1, 0xf8)]) {
      assert.deepEqual(received(session, raw), raw)
    }
  })
})
