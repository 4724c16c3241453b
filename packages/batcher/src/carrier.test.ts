import assert from 'node:assert/strict'
import { l1ConfigAtGenesis, l1TransactionRules } from '@keelson/chainspec'
import { type Severity, SeverityError, toAddress } from '@keelson/primitives'
import { DEFAULT_BATCHER_OPTIONS } from '../../../test/support/default-batcher-options.ts'
import { createRecordingLogger } from '../../../test/support/recording-logger.ts'
import { type Carrier, carrierCosts, cheaperCarrier, limitsOn, toTransactions } from './carrier.ts'
import { createCarrierChoice } from './carrier-choice.ts'
import type { L1FeeQuote } from './ports.ts'

const GWEI = 10n ** 9n
const CANCUN = l1TransactionRules(l1ConfigAtGenesis(1n, 'cancun'), 0)
const PRAGUE = l1TransactionRules(l1ConfigAtGenesis(1n, 'prague'), 0)
const AMSTERDAM = l1TransactionRules(l1ConfigAtGenesis(1n, 'amsterdam'), 0)
const OSAKA = l1TransactionRules(l1ConfigAtGenesis(1n, 'osaka'), 0)
const SHANGHAI = l1TransactionRules(l1ConfigAtGenesis(1n, 'shanghai'), 0)
const quote = (blobBaseFeeWei: bigint | null, baseFeeWei = 9n * GWEI): L1FeeQuote => ({ baseFeeWei, tipWei: GWEI, blobBaseFeeWei })
const noZeros = (length: number) => new Uint8Array(length).fill(7)

class Refusal extends SeverityError<'test/refusal'> {
  constructor(severity: Severity) {
    super('test/refusal', severity, 'transaction type not supported')
  }
}

describe('cost of a channel', () => {
  it('counts calldata by its L1 gas, including the floor of EIP-7623', () => {
    const channel = noZeros(100_000)
    channel.fill(0, 0, 400)
    const gas = (rules: typeof PRAGUE) => carrierCosts(channel, quote(1n), rules, DEFAULT_BATCHER_OPTIONS).calldataWei / (10n * GWEI)
    assert.equal(gas(CANCUN), 21_000n + 99_600n * 16n + 400n * 4n)
    assert.equal(gas(PRAGUE), 21_000n + 99_600n * 40n + 400n * 10n)
    // EIP-2780 and EIP-7976: a lower base cost, and 64 gas for any byte.
    assert.equal(gas(AMSTERDAM), 12_000n + 3_000n + 100_000n * 64n)
  })

  it('limits calldata per transaction by the gas limit of L1', () => {
    const limits = { ...DEFAULT_BATCHER_OPTIONS, maxCalldataBytes: 10_000_000 }
    const most = (rules: typeof PRAGUE) => limitsOn(rules, limits).maxCalldataBytes
    assert.equal(most(PRAGUE), 10_000_000)
    // 2^24 gas (EIP-7825) minus the base, divided by the price per byte.
    assert.equal(most(OSAKA), Math.floor((2 ** 24 - 21_000) / 40))
    assert.equal(most(AMSTERDAM), Math.floor((2 ** 24 - 15_000) / 64))
    assert.equal(limitsOn(AMSTERDAM, DEFAULT_BATCHER_OPTIONS).maxCalldataBytes, 120_000)
    const inbox = toAddress(`0x${'01'.repeat(20)}`)
    const transactions = toTransactions(`0x${'02'.repeat(16)}`, noZeros(600_000), 'calldata', limitsOn(AMSTERDAM, limits), inbox)
    assert.deepEqual(
      transactions.map(({ data }) => 15_000 + data.length * 64 <= 2 ** 24),
      [true, true, true],
    )
  })

  it('counts each transaction and each blob', () => {
    const { calldataWei, blobsWei } = carrierCosts(noZeros(900_000), quote(3n), PRAGUE, {
      ...DEFAULT_BATCHER_OPTIONS,
      maxFramesPerTransaction: 6,
    })
    assert.equal(calldataWei, (8n * 21_000n + 900_000n * 40n) * 10n * GWEI)
    assert.equal(blobsWei, 2n * 21_000n * 10n * GWEI + 7n * 131_072n * 3n)
  })

  it('allows as many blobs in a transaction as L1 does', () => {
    const limits = { ...DEFAULT_BATCHER_OPTIONS, maxFramesPerTransaction: 9 }
    const transactions = (rules: typeof PRAGUE) => {
      const blobsWei = carrierCosts(noZeros(9 * 120_000), quote(0n), rules, limits).blobsWei
      return blobsWei === null ? null : blobsWei / (21_000n * 10n * GWEI)
    }
    assert.deepEqual([CANCUN, PRAGUE, OSAKA, SHANGHAI].map(transactions), [2n, 1n, 2n, null])
  })

  it('is lower for blobs or for calldata depending on prices', () => {
    const channel = noZeros(119_000)
    const cheaper = (blobWei: bigint | null, rules = PRAGUE): Carrier =>
      cheaperCarrier(carrierCosts(channel, quote(blobWei), rules, DEFAULT_BATCHER_OPTIONS))
    // Calldata: 4,781,000 gas at 10 gwei. One blob: 21,000 gas at 10 gwei and 131,072 blob gas.
    const even = (4_760_000n * 10n * GWEI) / 131_072n
    assert.equal(cheaper(even), 'blobs')
    assert.equal(cheaper(even + 1n), 'calldata')
    assert.equal(cheaper(even, CANCUN), 'calldata')
    assert.equal(cheaper(null), 'calldata')
    assert.equal(cheaper(1n, SHANGHAI), 'calldata')
  })

  it('is lower in calldata for a channel that would leave its blob empty', () => {
    const cost = (length: number) => cheaperCarrier(carrierCosts(noZeros(length), quote(4n * GWEI), PRAGUE, DEFAULT_BATCHER_OPTIONS))
    assert.equal(cost(120_000), 'blobs')
    assert.equal(cost(1_000), 'calldata')
  })
})

describe('choice of a carrier', () => {
  const create = (dataAvailability: 'auto' | 'blobs' | 'calldata', feeQuote: () => Promise<L1FeeQuote>) => {
    const log = createRecordingLogger()
    return { choice: createCarrierChoice({ ...DEFAULT_BATCHER_OPTIONS, dataAvailability }, { feeQuote }, log), log }
  }
  const full = noZeros(120_000)

  it('follows the prices in both directions, and logs changes', async () => {
    let blobWei = 1n
    const { choice, log } = create('auto', async () => quote(blobWei))
    const chosen: Carrier[] = []
    for (blobWei of [1n, 1n, 10n ** 12n, 10n ** 12n, 1n]) chosen.push(await choice.choose(full, PRAGUE, true))
    assert.deepEqual(chosen, ['blobs', 'blobs', 'calldata', 'calldata', 'blobs'])
    assert.deepEqual([log.matching('posting channels in calldata').length, log.matching('posting channels in blobs').length], [1, 1])
  })

  it('requests no prices with a fixed carrier, or where the chain reads no blobs', async () => {
    const never = async () => assert.fail('asked')
    assert.equal(await create('blobs', never).choice.choose(full, PRAGUE, true), 'blobs')
    assert.equal(await create('calldata', never).choice.choose(full, PRAGUE, true), 'calldata')
    assert.equal(await create('auto', never).choice.choose(full, PRAGUE, false), 'calldata')
    assert.equal(await create('blobs', never).choice.choose(full, PRAGUE, false), 'calldata')
  })

  it('keeps the carrier while L1 prices are unavailable', async () => {
    let answer: () => Promise<L1FeeQuote> = async () => quote(10n ** 12n)
    const { choice } = create('auto', () => answer())
    assert.equal(await choice.choose(full, PRAGUE, true), 'calldata')
    answer = () => Promise.reject(new Error('connection refused'))
    assert.equal(await choice.choose(full, PRAGUE, true), 'calldata')
  })

  it('avoids blobs for a while when L1 rejects them, and then retries', async () => {
    const { choice, log } = create('auto', async () => quote(1n))
    assert.equal(choice.refused('blobs', new Refusal('temporary')), false)
    assert.equal(await choice.choose(full, PRAGUE, true), 'blobs')
    assert.equal(choice.refused('blobs', new Refusal('critical')), true)
    for (let i = 0; i < 100; i++) assert.equal(await choice.choose(full, PRAGUE, true), 'calldata')
    assert.equal(await choice.choose(full, PRAGUE, true), 'blobs')
    assert.equal(log.matching('rejects our blobs').length, 1)
  })

  it('never overrides a fixed carrier', () => {
    const { choice } = create('blobs', async () => quote(1n))
    assert.equal(choice.refused('blobs', new Refusal('critical')), false)
  })
})
