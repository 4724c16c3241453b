import assert from 'node:assert/strict'
import { l1ForkRules } from '@keelson/chainspec'
import { bytesToHex, createPureCrypto, hexToBytes, keccak256 } from '@keelson/primitives'
import { TEST_ENV } from '../../../../test/support/evm-call.ts'
import { ALICE, BOB, CONTRACT } from '../../../../test/support/evm-world.ts'
import { eagerTiers, TEST_HASH_SEED } from '../../../../test/support/test-engine.ts'
import { createMemoryView, type MemoryAccount } from '../memory-view.ts'
import type { BlockSession, CallResult } from '../ports.ts'
import { createWasmEngine } from './wasm-engine.ts'

const CAROL = new Uint8Array(20).fill(0xca)
const push = (address: Uint8Array) => `73${bytesToHex(address).slice(2)}`
const hashOf = (code: Uint8Array) => bytesToHex(keccak256(code))

const ANSWERS = hexToBytes('0x60015f5260205ff3')
const DELEGATES = hexToBytes(`0xef0100${bytesToHex(BOB).slice(2)}`)
const CALLS_CAROL = hexToBytes(`0x5f5f5f5f${push(CAROL)}5afa00`)
const READS_SIZE = hexToBytes(`0x${push(BOB)}3b00`)
const READS_HASH = hexToBytes(`0x${push(BOB)}3f00`)
const CALLS_AND_REVERTS = hexToBytes(`0x5f5f5f5f${push(BOB)}5afa5f5ffd`)
const CALLS_AND_HALTS = hexToBytes(`0x5f5f5f5f${push(BOB)}5afafe`)
/** Deploys a copy of BOB's code, then calls BOB. */
const DEPLOYS_AND_CALLS = hexToBytes(`0x6f67${bytesToHex(ANSWERS).slice(2)}5f5260086018f35f52601060105ff05f5f5f5f${push(BOB)}5afa00`)

async function runContract(session: BlockSession, gas = 1_000_000n): Promise<CallResult> {
  session.beginTx({ origin: ALICE, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [], accessList: [] })
  const result = session.call({ kind: 'call', from: ALICE, to: CONTRACT, valueWei: 0n, data: new Uint8Array(0), gas })
  session.endTx()
  return result
}

for (const [name, tiers] of [
  ['wasm-interpreter', {}],
  ['wasm', { tiers: eagerTiers() }],
] as const) {
  const engine = createWasmEngine({ crypto: createPureCrypto(), hashSeed: TEST_HASH_SEED, ...tiers })

  async function usedCodes(accounts: readonly MemoryAccount[]): Promise<string[]> {
    const used = new Set<string>()
    const view = { ...createMemoryView(accounts), usedCode: (hash: Uint8Array) => void used.add(bytesToHex(hash)) }
    const session = engine.open(view, TEST_ENV, l1ForkRules('prague'))
    await runContract(session)
    return [...used].sort()
  }

  const accounts = (code: Uint8Array): MemoryAccount[] => [
    { address: CONTRACT, code },
    { address: BOB, code: ANSWERS },
    { address: CAROL, code: DELEGATES },
  ]

  describe(`state that a recording view sees (${name})`, () => {
    const SLOT = new Uint8Array(32).with(31, 7)
    const SHA256 = '0x0000000000000000000000000000000000000002'

    async function reads(code: Uint8Array, gas: bigint) {
      const base = createMemoryView([{ address: CONTRACT, code, storage: [[SLOT, SLOT]] }])
      const read: string[] = []
      const view = {
        ...base,
        usedCode: () => undefined,
        account: (address: Uint8Array) => {
          read.push(bytesToHex(address))
          return base.account(address)
        },
        storage: (address: Uint8Array, slot: Uint8Array) => {
          read.push(bytesToHex(slot))
          return base.storage(address, slot)
        },
      }
      const session = engine.open(view, TEST_ENV, l1ForkRules('prague'))
      await runContract(session, gas)
      return read
    }

    for (const [kind, opcode] of [
      ['CALLCODE', '5f5f5f5f5f60025af200'],
      ['DELEGATECALL', '5f5f5f5f60025af400'],
      ['STATICCALL', '5f5f5f5f60025afa00'],
    ] as const) {
      it(`includes the account of a precompile that ${kind} calls`, async () => {
        assert.ok((await reads(hexToBytes(`0x${opcode}`), 100_000n)).includes(SHA256))
      })
    }

    it('includes the slot of a SLOAD without gas for it', async () => {
      assert.ok((await reads(hexToBytes('0x600754'), 2_000n)).includes(bytesToHex(SLOT)))
    })
  })

  describe(`codes that a recording view sees (${name})`, () => {
    for (const [title, code, others] of [
      ['a delegated account and its delegate', CALLS_CAROL, [DELEGATES, ANSWERS]],
      ['EXTCODESIZE, not EXTCODEHASH', READS_SIZE, [ANSWERS]],
      ['EXTCODEHASH alone', READS_HASH, []],
      ['a call that reverts', CALLS_AND_REVERTS, [ANSWERS]],
      ['a call that halts', CALLS_AND_HALTS, [ANSWERS]],
      ['a code that the call also deployed', DEPLOYS_AND_CALLS, [ANSWERS]],
    ] as const) {
      it(`include those of ${title}, in the first session and in later ones`, async () => {
        const expected = [code, ...others].map(hashOf).sort()
        for (let round = 0; round < 3; round++) assert.deepEqual(await usedCodes(accounts(code)), expected, `round ${round}`)
      })
    }

    it('exclude a code that the block itself set', async () => {
      const used: string[] = []
      const view = { ...createMemoryView(), usedCode: (hash: Uint8Array) => void used.push(bytesToHex(hash)) }
      const session = engine.open(view, TEST_ENV, l1ForkRules('prague'))
      session.setCode(CONTRACT, ANSWERS)
      assert.equal((await runContract(session)).status, 'success')
      assert.deepEqual(used, [])
    })

    it('include an account code that equals one the block set on another account', () => {
      const used: string[] = []
      const view = { ...createMemoryView(accounts(ANSWERS)), usedCode: (hash: Uint8Array) => void used.push(bytesToHex(hash)) }
      const session = engine.open(view, TEST_ENV, l1ForkRules('prague'))
      session.setCode(ALICE, DELEGATES)
      session.code(CAROL)
      assert.deepEqual(used, [hashOf(DELEGATES)])
    })
  })
}
