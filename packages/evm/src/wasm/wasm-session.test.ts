import assert from 'node:assert/strict'
import { type BlockRules, l1ForkRules } from '@keelson/chainspec'
import { bytesToHex, createPureCrypto, decodeStateDiff, hexToBytes } from '@keelson/primitives'
import { TEST_ENV } from '../../../../test/support/evm-call.ts'
import { ALICE, BOB, CONTRACT, word } from '../../../../test/support/evm-world.ts'
import { TEST_HASH_SEED } from '../../../../test/support/test-engine.ts'
import { EvmError, StateMiss } from '../errors.ts'
import { createMemoryView, type MemoryAccount, type MemoryView } from '../memory-view.ts'
import type { BlockSession } from '../ports.ts'
import { createWasmEngine } from './wasm-engine.ts'

const engine = createWasmEngine({ crypto: createPureCrypto(), hashSeed: TEST_HASH_SEED })
const CANCUN = l1ForkRules('cancun')
const COLD_SLOT_GAS = 2_100n
const WARM_GAS = 100n
const RETURN_TOP = '60005260206000f3'

function open(rules: BlockRules, accounts: readonly MemoryAccount[] = []): { session: BlockSession; view: MemoryView } {
  const view = createMemoryView(accounts)
  return { session: engine.open(view, TEST_ENV, rules), view }
}

function begin(session: BlockSession): void {
  session.beginTx({ origin: ALICE, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [ALICE], accessList: [] })
}

async function call(session: BlockSession, to = CONTRACT, gas = 1_000_000n) {
  return session.call({ kind: 'call', from: ALICE, to, valueWei: 0n, data: new Uint8Array(0), gas })
}

async function create(session: BlockSession, data: Uint8Array) {
  session.setNonce(ALICE, session.nonce(ALICE) + 1n)
  return session.call({ kind: 'create', from: ALICE, to: null, valueWei: 0n, data, gas: 1_000_000n })
}

describe('wasm session', () => {
  it('returns to any checkpoint: balances, nonces, code, storage and existence', () => {
    const { session } = open(CANCUN, [{ address: BOB, balanceWei: 5n, storage: [[word(1n), word(9n)]] }])
    begin(session)
    session.addBalance(ALICE, 3n)
    const checkpoint = session.checkpoint()
    session.addBalance(ALICE, 4n)
    session.setNonce(BOB, 8n)
    session.setCode(CONTRACT, Uint8Array.of(1))
    session.setStorage(BOB, word(1n), word(2n))
    session.clearStorage(BOB)
    session.revertTo(checkpoint)
    assert.deepEqual([session.balance(ALICE), session.nonce(BOB), session.code(CONTRACT).length], [3n, 0n, 0])
    assert.deepEqual(session.storage(BOB, word(1n)), word(9n))
    assert.equal(session.exists(CONTRACT), false)
    session.endTx()
    assert.equal(decodeStateDiff(session.takeDiff()).accounts.length, 1)
  })

  it('clears touched empty accounts from Spurious Dragon, and keeps them before', () => {
    for (const [rules, kept] of [
      [l1ForkRules('homestead'), true],
      [l1ForkRules('byzantium'), false],
    ] as const) {
      const { session, view } = open(rules, [{ address: BOB }])
      begin(session)
      session.addBalance(BOB, 0n)
      session.addBalance(CONTRACT, 0n)
      session.endTx()
      view.apply(session.takeDiff())
      assert.deepEqual([view.account(BOB) !== null, view.account(CONTRACT) !== null], [kept, kept])
    }
  })

  it('writes deleted accounts, reset storage and new code into its diff', () => {
    const { session } = open(CANCUN, [
      { address: BOB, nonce: 1n, storage: [[word(1n), word(9n)]] },
      { address: CONTRACT, balanceWei: 1n },
    ])
    begin(session)
    session.setBalance(CONTRACT, 0n)
    session.clearStorage(BOB)
    session.setStorage(BOB, word(2n), word(3n))
    session.setCode(BOB, Uint8Array.of(0xfe))
    session.endTx()
    const { accounts, codes } = decodeStateDiff(session.takeDiff())
    assert.deepEqual(
      accounts.map(({ address, deleted, storageReset, slots }) => ({ address, deleted, storageReset, slots })),
      [
        { address: BOB, deleted: false, storageReset: true, slots: [[word(2n), word(3n)]] },
        { address: CONTRACT, deleted: true, storageReset: false, slots: [] },
      ],
    )
    assert.deepEqual(
      codes.map(([, code]) => code),
      [Uint8Array.of(0xfe)],
    )
  })

  it('undoes storage, logs and transient storage of a failed inner call', async () => {
    const inner = { address: BOB, code: hexToBytes('0x60016000556001 60005d 60006000a0 60006000fd'.replaceAll(' ', '')) }
    const code = hexToBytes(`0x6000600060006000600073${bytesToHex(BOB).slice(2)}5af15060005c60005401${RETURN_TOP}`)
    const { session } = open(CANCUN, [inner, { address: CONTRACT, code }])
    begin(session)
    const result = await call(session)
    assert.deepEqual([result.status, bytesToHex(result.output)], ['success', bytesToHex(word(0n))])
    assert.equal(session.logs().length, 0)
    session.endTx()
    assert.equal(decodeStateDiff(session.takeDiff()).accounts.length, 0)
  })

  it('clears transient storage and warm accesses at the end of the transaction', async () => {
    const code = hexToBytes(`0x60005c600160005d${RETURN_TOP}`)
    const { session } = open(CANCUN, [{ address: CONTRACT, code }])
    for (let i = 0; i < 2; i++) {
      begin(session)
      assert.equal(bytesToHex((await call(session)).output), bytesToHex(word(0n)))
      session.endTx()
    }
    const reads = { address: BOB, code: hexToBytes('0x60005400') }
    const cold = open(CANCUN, [reads]).session
    const gas: bigint[] = []
    for (let i = 0; i < 2; i++) {
      begin(cold)
      gas.push((await call(cold, BOB)).gasLeft)
      gas.push((await call(cold, BOB)).gasLeft)
      cold.endTx()
    }
    assert.deepEqual(gas, [997_897n, 999_897n, 997_897n, 999_897n])
  })

  it('destroys any contract before Cancun, and only new ones from then on', async () => {
    const destroys = hexToBytes(`0x73${bytesToHex(BOB).slice(2)}ff`)
    for (const [rules, gone] of [
      [l1ForkRules('shanghai'), true],
      [CANCUN, false],
    ] as const) {
      const { session, view } = open(rules, [{ address: CONTRACT, code: destroys, balanceWei: 7n, storage: [[word(1n), word(1n)]] }])
      begin(session)
      await call(session)
      assert.equal(session.endTx().selfDestructs.length, gone ? 1 : 0)
      view.apply(session.takeDiff())
      assert.deepEqual([view.account(CONTRACT) === null, view.account(BOB)?.balanceWei], [gone, 7n])
    }
  })

  it('destroys under Cancun a contract made in the same transaction', async () => {
    const { session } = open(CANCUN)
    begin(session)
    const made = await create(session, hexToBytes(`0x73${bytesToHex(BOB).slice(2)}ff`))
    assert.equal(made.status, 'success')
    assert.equal(session.endTx().selfDestructs.length, 1)
    assert.deepEqual(
      decodeStateDiff(session.takeDiff()).accounts.map((account) => account.address),
      [ALICE],
    )
  })

  it('prices a slot by its value at the start of the transaction', async () => {
    const code = hexToBytes('0x60006000556001600055')
    const { session } = open(CANCUN, [{ address: CONTRACT, code, storage: [[word(0n), word(1n)]] }])
    begin(session)
    const result = await call(session)
    assert.deepEqual([result.gasLeft, result.gasRefund], [1_000_000n - 12n - 5_000n - 100n, 2_800n])
    session.endTx()
    assert.equal(decodeStateDiff(session.takeDiff()).accounts.length, 0)
    begin(session)
    assert.equal((await call(session)).gasLeft, 1_000_000n - 12n - 5_000n - 100n, 'cold again')
  })

  it('forwards missing values of the state view', async () => {
    const view = {
      ...createMemoryView(),
      account: () => {
        throw new StateMiss({ kind: 'account', address: BOB })
      },
    }
    const session = engine.open(view, TEST_ENV, CANCUN)
    begin(session)
    await assert.rejects(call(session), StateMiss)
  })

  it('reports misuse', async () => {
    const { session } = open(CANCUN)
    await assert.rejects(async () => call(session), EvmError)
    begin(session)
    assert.throws(() => begin(session), EvmError)
    assert.throws(() => session.subBalance(ALICE, 1n), EvmError)
  })

  it('isolates concurrent sessions of one engine', async () => {
    const code = hexToBytes(`0x6000355460010160003555600035 54${RETURN_TOP}`.replaceAll(' ', ''))
    const sessions = [open(CANCUN, [{ address: CONTRACT, code }]).session, open(CANCUN, [{ address: CONTRACT, code }]).session]
    for (const session of sessions) begin(session)
    for (let round = 1n; round <= 3n; round++) {
      const results = await Promise.all(sessions.map((session) => call(session)))
      assert.deepEqual(
        results.map((result) => result.output),
        [word(round), word(round)],
      )
    }
  })

  it('keeps the logs and accesses of a call when another session calls next', async () => {
    const code = hexToBytes('0x6005545060006000a000')
    const [session, other] = [open(CANCUN, [{ address: CONTRACT, code }]).session, open(CANCUN, [{ address: CONTRACT, code }]).session]
    for (const each of [session, other]) begin(each)
    const cold = await call(session)
    await call(other)
    assert.deepEqual(session.accessed(), [{ address: CONTRACT, slots: [word(5n)] }])
    const warm = await call(session)
    await call(other)
    assert.equal(warm.gasLeft - cold.gasLeft, COLD_SLOT_GAS - WARM_GAS)
    assert.equal(session.logs().length, 2)
    await call(session)
    assert.equal(session.endTx().logs.length, 3)
    assert.equal(other.endTx().logs.length, 2)
  })

  it('forgets the logs of an abandoned transaction', async () => {
    const { session } = open(CANCUN, [{ address: CONTRACT, code: hexToBytes('0x60006000a000') }])
    begin(session)
    await call(session)
    session.abandonTx()
    begin(session)
    assert.deepEqual([session.logs(), session.endTx().logs], [[], []])
  })

  it('follows the rules of each session when sessions of different forks alternate', async () => {
    const code = hexToBytes('0x5f5f5500')
    const sessions = [
      open(CANCUN, [{ address: CONTRACT, code }]).session,
      open(l1ForkRules('byzantium'), [{ address: CONTRACT, code }]).session,
    ]
    for (const session of sessions) begin(session)
    for (let round = 0; round < 2; round++) {
      const statuses: string[] = []
      for (const session of sessions) statuses.push((await call(session)).status)
      assert.deepEqual(statuses, ['success', 'halt'], 'PUSH0 exists since Shanghai')
    }
  })
})
