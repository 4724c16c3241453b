/** anvil's answers to the same transactions on the same code are the reference. */
import assert from 'node:assert/strict'
import { DEFAULT_EXECUTION_OPTIONS } from '@keelson/execution'
import { bytesToHex, hexToBytes, type SignedTransaction, toAddress } from '@keelson/primitives'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'
import { rejection } from '../support/rejection.ts'
import { startTestAnvil, type TestAnvil } from '../support/test-anvil.ts'

const GENESIS_SEC = 1_800_000_000
const CHAIN_ID = 901
const at = (number: number) => toAddress(`0x${number.toString(16).padStart(40, '0')}`)
const STORES = at(0xc0de01)
const REVERTS = at(0xc0de02)
const INVALID = at(0xc0de03)
const DESTROYS = at(0xc0de04)
const LOOPS = at(0xc0de05)
const JUMPS = at(0xc0de06)
const CALLS = at(0xc0de07)
const PRECOMPILES = at(0xc0de08)
const BENEFICIARY = at(0xaa)
const NEW = at(0xbeef)

const byte = (value: number) => value.toString(16).padStart(2, '0')
/** Calls with 4 bytes of input and 50,000 gas; the result is dropped. */
const call = (opcode: string, to: string, valueWei: number | null) =>
  `5f5f60045f${valueWei === null ? '' : `60${byte(valueWei)}`}73${to.slice(2)}61c350${opcode}50`
const [CALL, CALLCODE, DELEGATECALL, STATICCALL] = ['f1', 'f2', 'f4', 'fa'] as const
/** Returns one zero byte as code. */
const INIT = '60015ff3'

const CODES: readonly (readonly [address: string, code: string])[] = [
  [STORES, '60015f5560075f5260205ff3'],
  [REVERTS, '602a5f5260205ffd'],
  [INVALID, 'fe'],
  [DESTROYS, '60aaff'],
  [LOOPS, '5b5f56'],
  [JUMPS, '600956'],
  [
    CALLS,
    [
      call(CALL, STORES, 3),
      call(DELEGATECALL, STORES, null),
      call(CALLCODE, STORES, 1),
      call(STATICCALL, REVERTS, null),
      call(CALL, REVERTS, 0),
      call(CALL, INVALID, 0),
      call(CALL, LOOPS, 0),
      call(CALL, JUMPS, 0),
      call(CALL, DESTROYS, 2),
      `63${INIT}5f526004601c6001f050`,
      `63${INIT}5f525f6004601c5ff550`,
      '00',
    ].join(''),
  ],
  [PRECOMPILES, `${call(STATICCALL, at(4), null)}${call(CALL, STORES, 0)}00`],
]

type Trace = Readonly<Record<string, unknown>> & {
  readonly action: Readonly<Record<string, unknown>>
  readonly traceAddress: readonly number[]
}

describe('execution RPC: traces in the form of OpenEthereum and Otterscan', () => {
  let world: ExecutionWorld
  let anvil: TestAnvil
  let sent: readonly SignedTransaction[]
  let blockHash: string
  let sender: string

  before(async () => {
    const alloc = CODES.map(([address, code]) => ({
      address: toAddress(address),
      nonce: 1n,
      balanceWei: 0n,
      code: hexToBytes(`0x${code}`),
      storage: [],
    }))
    world = await createExecutionWorld({ genesisTimestampSec: GENESIS_SEC, alloc })
    anvil = await startTestAnvil({ chainId: CHAIN_ID, timestampSec: GENESIS_SEC })
    sender = world.accounts[0]?.address as string
    await anvil.rpc('anvil_setBalance', sender, '0x3635c9adc5dea00000')
    for (const [address, code] of CODES) {
      await anvil.rpc('anvil_setCode', address, `0x${code}`)
      await anvil.rpc('anvil_setNonce', address, '0x1')
    }
    const transaction = (nonce: number, to: string | null, valueWei: bigint, data = '0x') =>
      world.sign(0, {
        type: 0,
        chainId: BigInt(CHAIN_ID),
        nonce: BigInt(nonce),
        gasLimit: 700_000n,
        to: to === null ? null : hexToBytes(to as `0x${string}`),
        valueWei,
        data: hexToBytes(data as `0x${string}`),
        gasPriceWei: 3_000_000_000n,
      })
    sent = [
      transaction(0, CALLS, 100n, '0x01020304'),
      transaction(1, REVERTS, 0n),
      transaction(2, null, 5n, `0x600160025560${INIT.slice(2)}`),
      transaction(3, NEW, 9n),
      transaction(4, INVALID, 0n),
      transaction(5, PRECOMPILES, 0n),
    ]
    for (const tx of sent) await anvil.rpc('eth_sendRawTransaction', bytesToHex(tx.raw))
    await anvil.rpc('evm_mine')
    const block = await world.mine({ transactions: sent.map(({ raw }) => raw) })
    blockHash = block.hash
  })
  after(async () => {
    await anvil.stop()
    await world.stop()
  })

  /** anvil's block has another hash and no deposit of L1 information in front. */
  const moved = (traces: readonly Trace[]) =>
    traces.map((trace) => ({ ...trace, blockHash, transactionPosition: (trace.transactionPosition as number) + 1 }))
  const hash = (i: number) => (sent[i] as SignedTransaction).hash

  it('trace_transaction and trace_block have the frames, gas and errors of anvil', async () => {
    for (const i of [0, 1, 2, 3, 4])
      assert.deepEqual(
        await world.call('trace_transaction', hash(i)),
        moved(await anvil.rpc('trace_transaction', hash(i))),
        `transaction ${i}`,
      )
    const all = (await world.call('trace_block', '0x1')) as Trace[]
    const ofTransactions = all.filter(({ transactionHash }) => [0, 1, 2, 3, 4].map(hash).includes(transactionHash as never))
    const theirs = ((await anvil.rpc('trace_block', '0x1')) as Trace[]).filter(
      ({ transactionPosition }) => (transactionPosition as number) < 5,
    )
    assert.deepEqual(ofTransactions, moved(theirs))
    assert.equal(all[0]?.transactionPosition, 0, 'the deposit of L1 information')
    assert.deepEqual(await world.call('trace_block', '0x0'), [])
    assert.equal(await world.call('trace_block', '0x99'), null)
    assert.equal(await world.call('trace_transaction', `0x${'11'.repeat(32)}`), null)
  })

  it('trace_replayBlockTransactions leaves out precompiles as anvil does there, and trace_replayTransaction is one of them', async () => {
    const ours = await world.call('trace_replayBlockTransactions', '0x1', ['trace'])
    const theirs = await anvil.rpc('trace_replayBlockTransactions', '0x1', ['trace'])
    assert.deepEqual(ours.slice(1), theirs)
    const { transactionHash: _, ...last } = theirs[5]
    assert.deepEqual(await world.call('trace_replayTransaction', hash(5), ['trace']), last)
    assert.equal(last.trace.length, 2, 'the call, without that of the identity precompile')
  })

  it('stateDiff has the changes of contracts that anvil has, and balances that add up to zero', async () => {
    const ours = await world.call('trace_replayBlockTransactions', '0x1', ['stateDiff'])
    const theirs = await anvil.rpc('trace_replayBlockTransactions', '0x1', ['stateDiff'])
    for (const i of [0, 2]) {
      const contracts = Object.keys(theirs[i].stateDiff).filter((address) => ![sender, at(0), BENEFICIARY].includes(address as never))
      assert.ok(contracts.length > 0)
      for (const address of contracts) assert.deepEqual(ours[i + 1].stateDiff[address], theirs[i].stateDiff[address], `${i}: ${address}`)
    }
    assert.deepEqual(ours[4].stateDiff[NEW], { balance: { '+': '0x9' }, code: { '+': '0x' }, nonce: { '+': '0x0' }, storage: {} })
    for (const { stateDiff } of ours.slice(1)) {
      const changes = Object.values(stateDiff as Record<string, { balance: '=' | { '*'?: { from: string; to: string }; '+'?: string } }>)
      const sum = changes.reduce((total, { balance }) => {
        if (balance === '=') return total
        return (
          total +
          ('*' in balance ? BigInt(balance['*']?.to as string) - BigInt(balance['*']?.from as string) : BigInt(balance['+'] as string))
        )
      }, 0n)
      assert.equal(sum, 0n, 'fees are in the vaults')
    }
  })

  it('trace_call traces what was not sent, with the frames of the transaction', async () => {
    const request = { from: sender, to: CALLS, value: '0x64', data: '0x01020304', gas: '0xaae60' }
    const { trace, output, stateDiff } = await world.call('trace_call', request, ['trace', 'stateDiff'], '0x0')
    const [first] = await anvil.rpc('trace_replayBlockTransactions', '0x1', ['trace'])
    assert.deepEqual(trace, first.trace)
    assert.equal(output, '0x')
    assert.ok(stateDiff[STORES])
    assert.match(
      (await rejection(world.call('trace_call', request, ['vmTrace']))).message,
      /vmTrace is not supported: debug_traceTransaction/,
    )
  })

  it('trace_filter finds by sender, receiver or both, in pages', async () => {
    const addresses = async (of: ExecutionWorld['call'] | TestAnvil['rpc'], filter: object) =>
      ((await of('trace_filter', { fromBlock: '0x1', toBlock: '0x1', ...filter })) as Trace[])
        .filter(({ transactionHash }) => transactionHash !== hash(5))
        .map(({ transactionHash, traceAddress }) => [transactionHash, traceAddress])
    for (const filter of [
      { fromAddress: [CALLS] },
      { toAddress: [STORES, NEW] },
      { fromAddress: [CALLS], toAddress: [NEW] },
      { fromAddress: [CALLS], toAddress: [STORES], mode: 'intersection' },
      { fromAddress: [CALLS], after: 2, count: 3 },
      { fromAddress: [DESTROYS] },
    ])
      assert.deepEqual(await addresses(world.call, filter), await addresses(anvil.rpc, filter), JSON.stringify(filter))
    const backwards = await rejection(world.call('trace_filter', { fromBlock: '0x1', toBlock: '0x0' }))
    assert.match(backwards.message, /invalid block range/)
  })

  it('trace_filter refuses ranges that would take too long, with a smaller one', async () => {
    const rpc = { ...DEFAULT_EXECUTION_OPTIONS.rpc, maxTraceFilterBlocks: 3 }
    const long = await createExecutionWorld({ options: { rpc } })
    for (let i = 0; i < 4; i++) await long.mine()
    const refused = await rejection(long.call('trace_filter', { fromBlock: '0x1' }))
    assert.deepEqual([refused.number, refused.data], [-32005, { from: 1, to: 3, limit: 3 }])
    assert.deepEqual(await long.call('trace_filter', { fromBlock: '0x2', toAddress: [NEW] }), [])
    await long.stop()
  })

  it('trace_get finds a call by its place', async () => {
    const all = (await world.call('trace_transaction', hash(0))) as Trace[]
    assert.deepEqual(
      await world.call('trace_get', hash(0), ['0x8', '0x0']),
      all.find(({ traceAddress }) => traceAddress.join() === '8,0'),
    )
    assert.equal(await world.call('trace_get', hash(0), ['0x63']), null)
  })

  it('ots methods show operations, calls and errors of a transaction as anvil does', async () => {
    assert.equal(await world.call('ots_getApiLevel'), await anvil.rpc('ots_getApiLevel'))
    type Entry = Readonly<Record<string, unknown>>
    const theirs = ((await anvil.rpc('ots_getInternalOperations', hash(0))) as Entry[]).filter(({ from }) => from !== sender)
    const ours = (await world.call('ots_getInternalOperations', hash(0))) as Entry[]
    // anvil has no entry for a call whose code destroys its contract; Erigon has.
    const ofDestroyed = ours.filter(({ type, to }) => type === 0 && to === DESTROYS)
    assert.deepEqual(ofDestroyed, [{ type: 0, from: CALLS, to: DESTROYS, value: '0x2' }])
    assert.deepEqual(
      ours.filter((entry) => !ofDestroyed.some((other) => other === entry)),
      theirs,
    )
    const calls = ((await world.call('ots_traceTransaction', hash(0))) as Entry[]).filter(({ type }) => !/CREATE|SELF/.test(String(type)))
    assert.deepEqual(calls, await anvil.rpc('ots_traceTransaction', hash(0)))
    for (const i of [0, 1, 4])
      assert.equal(await world.call('ots_getTransactionError', hash(i)), await anvil.rpc('ots_getTransactionError', hash(i)), String(i))
    assert.equal(await world.call('ots_traceTransaction', `0x${'11'.repeat(32)}`), null)
  })

  it('ots methods find transactions by nonce, creators of contracts, and code', async () => {
    for (const nonce of [0, 2, 5, 6])
      assert.equal(
        await world.call('ots_getTransactionBySenderAndNonce', sender, nonce),
        await anvil.rpc('ots_getTransactionBySenderAndNonce', sender, nonce),
      )
    const { contractAddress } = await world.call('eth_getTransactionReceipt', hash(2))
    const creator = await anvil.rpc('ots_getContractCreator', contractAddress)
    assert.equal(creator.creator, sender)
    assert.deepEqual(await world.call('ots_getContractCreator', contractAddress), creator)
    assert.equal(await world.call('ots_getContractCreator', NEW), null)
    for (const address of [CALLS, NEW])
      assert.equal(await world.call('ots_hasCode', address, 'latest'), await anvil.rpc('ots_hasCode', address, 'latest'))
  })

  it('ots methods show a block with what was paid, and its transactions in pages from the end', async () => {
    const { block, issuance, totalFees } = await world.call('ots_getBlockDetails', 1)
    assert.deepEqual(await world.call('ots_getBlockDetailsByHash', blockHash), { block, issuance, totalFees })
    const theirs = await anvil.rpc('ots_getBlockDetails', 1)
    assert.deepEqual(issuance, theirs.issuance)
    assert.equal(block.transactionCount, theirs.block.transactionCount + 1)
    assert.ok(
      Object.keys(theirs.block).filter((key) => !(key in block)).length === 0,
      `missing: ${Object.keys(theirs.block).filter((key) => !(key in block))}`,
    )
    const receipts = await world.call('eth_getBlockReceipts', '0x1')
    const paid = receipts.reduce(
      (sum: bigint, receipt: Record<string, string>) =>
        sum + BigInt(receipt.gasUsed as string) * BigInt(receipt.effectiveGasPrice as string) + BigInt(receipt.l1Fee ?? 0),
      0n,
    )
    assert.equal(BigInt(totalFees), paid)
    const page = await world.call('ots_getBlockTransactions', 1, 0, 2)
    assert.deepEqual(
      page.fullblock.transactions.map((tx: { hash: string }) => tx.hash),
      [hash(4), hash(5)],
    )
    assert.deepEqual([page.receipts.length, page.receipts[0].logs, page.fullblock.transactionCount], [2, null, 7])
    const last = await world.call('ots_getBlockTransactions', 1, 3, 2)
    assert.equal(last.fullblock.transactions.length, 1)
    assert.equal(await world.call('ots_getBlockDetails', 99), null)
  })

  it('ots search reads blocks in both directions, newest first', async () => {
    const hashes = ({ txs }: { txs: { hash: string }[] }) => txs.map((tx) => tx.hash)
    const newestFirst = [5, 4, 3, 2, 1, 0].map(hash)
    const before = await world.call('ots_searchTransactionsBefore', sender, 0, 3)
    assert.deepEqual([hashes(before), before.firstPage, before.lastPage], [newestFirst, true, false])
    assert.deepEqual(hashes(before), hashes(await anvil.rpc('ots_searchTransactionsBefore', sender, 0, 3)))
    const after = await world.call('ots_searchTransactionsAfter', sender, 0, 25)
    assert.deepEqual([hashes(after), after.firstPage, after.lastPage], [newestFirst, true, true])
    const created = await world.call(
      'ots_searchTransactionsBefore',
      (await world.call('eth_getTransactionReceipt', hash(2))).contractAddress,
      0,
      3,
    )
    assert.deepEqual(hashes(created), [hash(2)])
    assert.equal(created.receipts[0].timestamp, created.txs[0].blockTimestamp)
    assert.match((await rejection(world.call('ots_searchTransactionsBefore', sender, 0, 1000))).message, /page size from 1 to 100/)
  })
})
