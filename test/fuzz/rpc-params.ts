import fc, { type Arbitrary } from 'fast-check'
import { changeJson, jsonChange, wildJson, wildScalar } from './mutate.ts'
import type { RpcWorld } from './rpc-world.ts'

type Facts = RpcWorld['facts']

interface Kinds {
  readonly address: Arbitrary<unknown>
  readonly blockHash: Arbitrary<unknown>
  readonly txHash: Arbitrary<unknown>
  readonly block: Arbitrary<unknown>
  readonly number: Arbitrary<unknown>
  readonly index: Arbitrary<unknown>
  readonly slot: Arbitrary<unknown>
  readonly flag: Arbitrary<unknown>
  readonly call: Arbitrary<unknown>
  readonly filter: Arbitrary<unknown>
  readonly stateOverrides: Arbitrary<unknown>
  readonly blockOverrides: Arbitrary<unknown>
  readonly traceConfig: Arbitrary<unknown>
  readonly raw: Arbitrary<unknown>
  readonly simulation: Arbitrary<unknown>
  readonly percentiles: Arbitrary<unknown>
  readonly filterId: Arbitrary<unknown>
  readonly slots: Arbitrary<unknown>
  readonly conditional: Arbitrary<unknown>
}

const hex = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
const quantity = (max: number) => fc.nat(max).map((value) => `0x${value.toString(16)}`)
const gas = fc.constantFrom('0x5208', '0x186a0', '0x30d40')
const maybe = <T>(arbitrary: Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 3 })

const known = new WeakMap<Facts, Kinds>()

function kindsOf(facts: Facts): Kinds {
  const found = known.get(facts)
  if (found !== undefined) return found
  const address = fc.oneof(fc.constantFrom(...facts.accounts, facts.contract), hex(20))
  const blockHash = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...facts.blockHashes) }, { weight: 1, arbitrary: hex(32) })
  const txHash = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...facts.txHashes) }, { weight: 1, arbitrary: hex(32) })
  const tag = fc.constantFrom('latest', 'earliest', 'pending', 'safe', 'finalized')
  const block = fc.oneof(tag, quantity(8), blockHash, fc.record({ blockHash }), fc.record({ blockNumber: quantity(8) }))
  const slot = fc.oneof(fc.constantFrom('0x0', '0x1', `0x${'00'.repeat(32)}`), hex(32))
  const fees = fc.oneof(
    fc.constant({}),
    fc.record({ gasPrice: quantity(2 ** 31) }),
    fc.record({ maxFeePerGas: quantity(2 ** 31), maxPriorityFeePerGas: quantity(2 ** 20) }, { requiredKeys: [] }),
  )
  const accessList = fc.array(fc.record({ address, storageKeys: fc.array(hex(32), { maxLength: 2 }) }), { maxLength: 2 })
  const call = fc
    .tuple(
      fc.record(
        {
          from: fc.constantFrom(...facts.accounts),
          to: address,
          gas,
          value: quantity(1000),
          input: fc.uint8Array({ maxLength: 64 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
          accessList,
          chainId: fc.constant('0x385'),
        },
        { requiredKeys: ['gas', 'from'] },
      ),
      fees,
    )
    .map(([fields, priced]) => ({ ...fields, ...priced }))
  const topics = fc.array(fc.oneof(fc.constant(null), fc.constant(facts.topic), hex(32), fc.array(hex(32), { maxLength: 2 })), {
    maxLength: 4,
  })
  const range = fc.record(
    { fromBlock: fc.oneof(fc.constant('earliest'), quantity(4)), toBlock: fc.oneof(fc.constant('latest'), quantity(8)) },
    { requiredKeys: [] },
  )
  const filter = fc
    .tuple(
      fc.record({ address: fc.oneof(address, fc.array(address, { maxLength: 3 })), topics }, { requiredKeys: [] }),
      fc.oneof(range, fc.record({ blockHash })),
    )
    .map(([what, where]) => ({ ...what, ...where }))
  const storage = fc.dictionary(hex(32), hex(32), { maxKeys: 2 })
  const fields = { balance: quantity(2 ** 31), nonce: quantity(100), code: fc.constantFrom('0x', '0x00', '0x60006000fd', '0xef0100') }
  const overridden = fc.oneof(
    fc.record({ ...fields, state: storage }, { requiredKeys: [] }),
    fc.record({ ...fields, stateDiff: storage }, { requiredKeys: [] }),
  )
  const moved = fc.record({ movePrecompileToAddress: address }).map((to) => [`0x${'00'.repeat(19)}02`, to] as const)
  const stateOverrides = fc
    .array(
      fc.oneof(
        { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...facts.accounts, facts.contract), overridden) },
        { weight: 1, arbitrary: moved },
      ),
      {
        maxLength: 2,
      },
    )
    .map((entries) => Object.fromEntries(entries))
  const blockOverrides = fc.record(
    {
      number: quantity(40),
      time: quantity(2 ** 31),
      gasLimit: quantity(2 ** 25),
      feeRecipient: address,
      prevRandao: hex(32),
      baseFeePerGas: quantity(2 ** 31),
      blobBaseFee: quantity(9),
    },
    { requiredKeys: [] },
  )
  const traceConfig = fc.record(
    {
      tracer: fc.constantFrom(
        'callTracer',
        'prestateTracer',
        'flatCallTracer',
        '4byteTracer',
        'noopTracer',
        'muxTracer',
        'erc7562Tracer',
        'nothing',
      ),
      tracerConfig: fc.dictionary(
        fc.constantFrom('onlyTopCall', 'withLog', 'diffMode', 'disableCode', 'callTracer'),
        fc.oneof(fc.boolean(), fc.constant({})),
        { maxKeys: 3 },
      ),
      timeout: fc.constantFrom('1s', '500ms'),
      disableStorage: fc.boolean(),
      enableMemory: fc.boolean(),
      limit: fc.nat(50),
      reexec: fc.nat(10),
      stateOverrides,
      blockOverrides,
    },
    { requiredKeys: [] },
  )
  const simulated = fc.record(
    { number: quantity(40), time: quantity(2 ** 31), gasLimit: quantity(2 ** 25), feeRecipient: address },
    { requiredKeys: [] },
  )
  const simulation = fc.record(
    {
      blockStateCalls: fc.array(
        fc.record({ blockOverrides: simulated, stateOverrides, calls: fc.array(call, { maxLength: 2 }) }, { requiredKeys: [] }),
        { maxLength: 2 },
      ),
      traceTransfers: fc.boolean(),
      validation: fc.boolean(),
      returnFullTransactions: fc.boolean(),
    },
    { requiredKeys: ['blockStateCalls'] },
  )
  const kinds: Kinds = {
    address,
    blockHash,
    txHash,
    block,
    index: quantity(3),
    slot,
    flag: fc.boolean(),
    call,
    filter,
    stateOverrides,
    blockOverrides,
    traceConfig,
    raw: fc.constantFrom(...facts.rawTxs),
    simulation,
    number: fc.oneof(tag, quantity(8)),
    percentiles: fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 3 }).map((list) => list.sort((a, b) => a - b)),
    filterId: fc.constantFrom(...facts.filterIds),
    slots: fc.dictionary(fc.constantFrom(...facts.accounts, facts.contract), fc.array(hex(32), { maxLength: 2 }), { maxKeys: 2 }),
    conditional: fc.record(
      {
        blockNumberMin: quantity(3),
        blockNumberMax: quantity(90),
        timestampMin: quantity(3),
        knownAccounts: fc.dictionary(fc.constantFrom(...facts.accounts), fc.oneof(hex(32), storage), { maxKeys: 1 }),
      },
      { requiredKeys: [] },
    ),
  }
  known.set(facts, kinds)
  return kinds
}

const SIGNATURES: readonly (readonly [RegExp, readonly (keyof Kinds)[]])[] = [
  [/getStorageValues$/, ['slots', 'block']],
  [/ByBlockHashAndIndex$/, ['blockHash', 'index']],
  [/ByBlockNumberAndIndex$/, ['number', 'index']],
  [/(TransactionByHash|TransactionReceipt|getRawTransaction)$/, ['txHash']],
  [/getBlockByHash$/, ['blockHash', 'flag']],
  [/(HeaderByHash|CountByBlockHash|CountByHash)$/, ['blockHash']],
  [/traceBlockByHash$/, ['blockHash', 'traceConfig']],
  [/traceBlockByNumber$/, ['number', 'traceConfig']],
  [/traceTransaction$/, ['txHash', 'traceConfig']],
  [/traceCall$/, ['call', 'block', 'traceConfig']],
  [/getBlockByNumber$/, ['number', 'flag']],
  [/(CountByBlockNumber|CountByNumber|HeaderByNumber)$/, ['number']],
  [/(BlockReceipts|executionWitness|getRaw(Block|Header|Receipts))$/, ['block']],
  [/(getBalance|getTransactionCount|getCode)$/, ['address', 'block']],
  [/getStorageAt$/, ['address', 'slot', 'block']],
  [/getProof$/, ['address', 'slot', 'block']],
  [/(_call|estimateGas)$/, ['call', 'block', 'stateOverrides', 'blockOverrides']],
  [/createAccessList$/, ['call', 'block', 'stateOverrides']],
  [/simulateV1$/, ['simulation', 'block']],
  [/(getLogs|newFilter)$/, ['filter']],
  [/(uninstallFilter|FilterChanges|FilterLogs)$/, ['filterId']],
  [/feeHistory$/, ['index', 'number', 'percentiles']],
  [/Conditional$/, ['raw', 'conditional']],
  [/sendRawTransactionSync$/, ['raw', 'index']],
  [/sendRawTransaction$/, ['raw']],
  [/(contentFrom|sha3)$/, ['address']],
]

export function validParams(method: string, facts: Facts): Arbitrary<readonly unknown[]> {
  const signature = SIGNATURES.find(([pattern]) => pattern.test(method))?.[1] ?? []
  const kinds = kindsOf(facts)
  return fc
    .tuple(...signature.map((kind, i) => (i === 0 ? kinds[kind] : maybe(kinds[kind]))))
    .map((params) => (method.endsWith('getProof') ? params.map((param, i) => (i === 1 ? [param ?? '0x0'] : param)) : params))
    .map((params) => {
      const end = params.indexOf(undefined)
      return end === -1 ? params : params.slice(0, end)
    })
}

export function anyParam(facts: Facts): Arbitrary<unknown> {
  const kinds = fc.oneof(...(Object.values(kindsOf(facts)) as Arbitrary<unknown>[]))
  return fc.oneof(
    { weight: 3, arbitrary: kinds },
    { weight: 3, arbitrary: fc.tuple(kinds, jsonChange).map(([value, change]) => changeJson(value, change)) },
    { weight: 2, arbitrary: wildJson },
    { weight: 1, arbitrary: wildScalar },
  )
}
