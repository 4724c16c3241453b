import assert from 'node:assert/strict'
import { ClientError, createHttpRpcClient, createL1Client, RpcResponseError } from '@keelson/client'
import { createNativeCrypto } from '@keelson/node/assembly'
import { encodeSignedTransaction, signingDigest, TX_FEE_MARKET, toAddress } from '@keelson/primitives'
import { createAnswerer, createSilentLogger, DEFAULT_RPC_LIMITS } from '@keelson/runtime'
import { runTask } from '../../../../test/support/simulated-task.ts'
import { createSeed } from '../core/seed.ts'
import { Simulation } from '../core/simulation.ts'
import { SimulatedHttp } from '../network/simulated-http.ts'
import { SimulatedNetwork } from '../network/simulated-network.ts'
import { L1Provider } from './l1-provider.ts'
import { SimulatedL1 } from './simulated-l1.ts'

const START_MS = 1_800_000_000_000
const SLOT_MS = 12_000
const CHAIN_ID = 900_084n
const KEY = new Uint8Array(32).fill(7)
const TO = `0x${'22'.repeat(20)}` as const
const crypto = createNativeCrypto()

function transaction(nonce: bigint) {
  const fields = {
    type: TX_FEE_MARKET,
    chainId: CHAIN_ID,
    nonce,
    gasLimit: 21_000n,
    to: new Uint8Array(20).fill(1),
    valueWei: 1n,
    data: new Uint8Array(0),
    accessList: [],
    maxFeePerGasWei: 10n ** 11n,
    maxPriorityFeePerGasWei: 10n ** 9n,
  } as const
  return encodeSignedTransaction(fields, crypto.sign(signingDigest(fields), KEY))
}

function open() {
  const simulation = new Simulation(createSeed(1), START_MS)
  const account = { address: toAddress(crypto.addressOf(KEY)), nonce: 0n, balanceWei: 10n ** 20n, code: new Uint8Array(0), storage: [] }
  const start = { accounts: [account], addresses: { OptimismPortal: TO, L2OutputOracle: TO } as never }
  const l1 = new SimulatedL1(simulation, crypto, { chainId: CHAIN_ID, blockTimeSec: 12, finalityBlocks: 64, start })
  const provider = new L1Provider(l1, simulation.seed.random('provider'))
  const network = new SimulatedNetwork(simulation)
  const http = new SimulatedHttp(network)
  const log = createSilentLogger()
  http.serve('l1:8545', simulation.process('l1/node'), createAnswerer({ methods: provider.methods, limits: DEFAULT_RPC_LIMITS, log }))
  http.limit('l1:8545', () => provider.refuses())
  const reader = simulation.process('reader')
  const { clock, random } = reader
  const rpc = createHttpRpcClient(
    { url: 'http://l1:8545', retry: { attempts: 1 } },
    { clock, random, log, http: http.client('reader', reader) },
  )
  l1.start()
  for (let nonce = 0n; nonce < 8n; nonce++) {
    simulation.after(Number(nonce) * SLOT_MS, null, 'send', () => l1.submit({ tx: transaction(nonce), blobs: [] }))
  }
  return {
    l1,
    provider,
    rpc,
    async run(task: () => Promise<void>) {
      await simulation.run(START_MS + 10 * SLOT_MS)
      await runTask(simulation, reader, task, 120_000)
    },
  }
}

describe('a provider of L1', () => {
  it('cannot pass a wrong block, transaction or receipt to the production client', async () => {
    const { l1, provider, rpc, run } = open()
    await run(async () => {
      assert.ok((l1.block(4)?.transactions.length ?? 0) > 0)
      provider.misconduct = [{ kind: 'lie', share: 1 }]
      let refused = 0
      const check = async (asked: Promise<unknown>, expected: unknown) => {
        const answer = await asked.catch((error: unknown) => {
          assert.ok(error instanceof ClientError && error.severity === 'temporary', String(error))
          refused++
          return null
        })
        if (answer !== null) assert.deepEqual(answer, expected)
      }
      for (let number = 1; number <= 8; number++) {
        const truth = l1.block(number)
        assert.ok(truth !== null)
        for (let i = 0; i < 10; i++) {
          const client = createL1Client(rpc)
          await check(client.header(truth.hash), truth.header)
          await check(client.transactions(truth.hash), truth.transactions)
          await check(client.receipts(truth.hash), truth.receipts)
        }
      }
      assert.ok(refused > 0, 'no answer was wrong')
    })
  })

  it('shows the chain as it was some blocks ago', async () => {
    const { l1, provider, rpc, run } = open()
    await run(async () => {
      const client = createL1Client(rpc)
      const head = l1.head.header.number
      provider.misconduct = [{ kind: 'lag', share: 1, blocks: 3 }]
      assert.equal((await client.blockRef('latest'))?.number, head - 3)
      assert.equal(await client.header(l1.head.hash), null)
    })
  })

  it('limits rates by status 429 or by an error of JSON-RPC, which are temporary', async () => {
    const { provider, rpc, run } = open()
    const isTemporary = (error: unknown) => error instanceof ClientError && error.severity === 'temporary'
    await run(async () => {
      provider.misconduct = [{ kind: 'limit', share: 1, form: 'http' }]
      await assert.rejects(
        rpc.call('eth_chainId', []),
        (error) => isTemporary(error) && (error as ClientError).code === 'client/rate-limited',
      )
      provider.misconduct = [{ kind: 'limit', share: 1, form: 'rpc' }]
      await assert.rejects(rpc.call('eth_chainId', []), (error) => isTemporary(error) && error instanceof RpcResponseError)
    })
  })
})
