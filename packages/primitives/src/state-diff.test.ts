import assert from 'node:assert/strict'
import fc from 'fast-check'
import { compareBytes } from './bytes.ts'
import { CodecError } from './errors.ts'
import { bytesToHex } from './hex.ts'
import { type AccountChange, decodeStateDiff, encodeStateDiff, type StateChanges, type StateDiff } from './state-diff.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const word = bytes(32)
const unique = <T>(items: fc.Arbitrary<T>, key: (item: T) => string, maxLength: number) =>
  fc.uniqueArray(items, { selector: key, maxLength })

const account: fc.Arbitrary<AccountChange> = fc.record(
  {
    address: bytes(20),
    deleted: fc.boolean(),
    storageReset: fc.boolean(),
    nonce: fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
    balanceWei: fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
    codeHash: word,
    slots: unique(fc.tuple(word, word), ([slot]) => bytesToHex(slot), 5),
  },
  { noNullPrototype: true },
)
const changes: fc.Arbitrary<StateChanges> = fc.record(
  {
    accounts: unique(account, (a) => bytesToHex(a.address), 6),
    codes: unique(fc.tuple(word, fc.uint8Array({ maxLength: 100 })), ([hash]) => bytesToHex(hash), 3),
  },
  { noNullPrototype: true },
)

function sorted(value: StateChanges): StateChanges {
  return {
    accounts: [...value.accounts]
      .sort((a, b) => compareBytes(a.address, b.address))
      .map((a) => ({ ...a, slots: [...a.slots].sort((x, y) => compareBytes(x[0], y[0])) })),
    codes: [...value.codes].sort((a, b) => compareBytes(a[0], b[0])),
  }
}

describe('state diff', () => {
  it('is decoded sorted and otherwise unchanged', () => {
    fc.assert(fc.property(changes, (value) => assert.deepEqual(decodeStateDiff(encodeStateDiff(value)), sorted(value))))
  })

  it('does not depend on the order of the changes', () => {
    fc.assert(
      fc.property(changes, (value) => {
        const reversed: StateChanges = {
          accounts: [...value.accounts].reverse().map((a) => ({ ...a, slots: [...a.slots].reverse() })),
          codes: [...value.codes].reverse(),
        }
        assert.deepEqual(encodeStateDiff(reversed), encodeStateDiff(value))
      }),
    )
  })

  it('is rejected when truncated at any byte', () => {
    const [sample] = fc.sample(changes, { numRuns: 1, seed: 7 })
    const whole = encodeStateDiff({ ...(sample as StateChanges), codes: [[new Uint8Array(32), new Uint8Array(9)]] })
    for (let length = 0; length < whole.length; length++) {
      assert.throws(
        () => decodeStateDiff(whole.subarray(0, length) as StateDiff),
        (error) => error instanceof CodecError && error.code === 'codec/state-diff',
        `${length} of ${whole.length} bytes`,
      )
    }
  })
})
