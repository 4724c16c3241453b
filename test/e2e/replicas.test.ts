import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '@keelson/primitives'
import { createPublicClient, createWalletClient, defineChain, http, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'
import { findHaproxy } from '../support/haproxy-process.ts'
import { rpcCall } from '../support/json-rpc.ts'
import { findRedis } from '../support/redis-process.ts'
import { openReplicaNetwork, REPLICAS, type ReplicaNetwork, ROUTERS, settingNames } from '../support/replica-network.ts'

const CLIENTS = 12
const PACE_MS = 20
const missing = [...(findHaproxy() === null ? ['HAProxy'] : []), ...(findRedis() === null ? ['Redis'] : [])]

describe(`from one machine to six${missing.length === 0 ? '' : `, as text alone because ${missing.join(' and ')} is not installed`}`, () => {
  it('names each setting once', () => {
    const names = settingNames()
    assert.ok(names.includes('SEQUENCERS'))
    assert.equal(new Set(names).size, names.length)
  })

  if (missing.length > 0) return

  let network: ReplicaNetwork

  before(async () => {
    const { offset, spare } = await claimE2ePorts()
    network = await openReplicaNetwork(offset, spare)
  })
  after(() => network?.remove())

  it('works as written', async () => {
    await network.steps(3)
    for (const role of ROUTERS) await network.startRouter(role)
    for (const name of REPLICAS) await network.startReplica(name)
    await network.steps(6, 7)
    await network.startReplica('replica-3')
  })

  it('puts a transaction into a block, whose effects a client sees from then on', async () => {
    const { client, wallet } = wallets()
    for (let i = 0; i < 3; i++) {
      const hash = await wallet.sendTransaction({ to: wallet.account.address, value: parseEther('1') })
      const receipt = await client.waitForTransactionReceipt({ hash })
      assert.equal(receipt.status, 'success')
      assert.ok((await client.getBlockNumber()) >= receipt.blockNumber)
      assert.equal(await client.getTransactionCount({ address: wallet.account.address }), i + 1)
    }
  })

  it('answers every request while replicas are killed one after the other', async () => {
    const load = startLoad()
    try {
      for (const name of REPLICAS) {
        const before = load.answered()
        await eventually('answers', async () => load.answered() > before + 2 * CLIENTS)
        process.kill(network.pidOf(`${name}-execution`), 'SIGKILL')
        process.kill(network.pidOf(`${name}-consensus`), 'SIGKILL')
        await network.startReplica(name)
        await eventually('three replicas', async () => (await countUp()) === 3)
      }
    } finally {
      await load.stop()
    }
    assert.deepEqual(load.failures, [])
  })

  it('takes every transaction while a router is killed', async () => {
    const { client, wallet } = wallets()
    process.kill(network.pidOf('replica-1-router'), 'SIGKILL')
    for (let i = 0; i < 3; i++) {
      const hash = await wallet.sendTransaction({ to: wallet.account.address, value: 1n })
      assert.equal((await client.waitForTransactionReceipt({ hash })).status, 'success')
    }
  })

  it('takes a transaction while the sequencer that leads is killed', async () => {
    const { client, wallet } = wallets()
    const leads = await rpcCall<boolean>(network.devnet.facts.l2.rollupRpcUrl, 'admin_sequencerActive')
    const pid = network.devnet.rolePids()[leads ? 'consensus' : 'standby-consensus']
    assert.ok(pid)
    process.kill(pid, 'SIGKILL')
    const hash = await wallet.sendTransaction({ to: wallet.account.address, value: 1n })
    const receipt = await client.waitForTransactionReceipt({ hash, timeout: 120_000 })
    assert.equal(receipt.status, 'success')
  })

  function wallets() {
    const { chainId } = network.devnet.facts.l2
    const chain = defineChain({
      id: chainId,
      name: 'test',
      nativeCurrency: { name: 'test', symbol: 'TST', decimals: 18 },
      rpcUrls: { default: { http: [network.url] } },
    })
    const transport = http(network.url, { retryCount: 0, timeout: 60_000 })
    const account = privateKeyToAccount(network.devnet.facts.accounts[5]?.privateKey ?? '0x')
    return {
      client: createPublicClient({ chain, transport, pollingInterval: 200, cacheTime: 0 }),
      wallet: createWalletClient({ chain, transport, account }),
    }
  }

  async function countUp(): Promise<number> {
    const answers = await Promise.all(Object.values(network.replicaUrls).map((url) => fetch(`${url}/readyz`).catch(() => null)))
    return answers.filter((answer) => answer?.ok).length
  }

  /** From several addresses, so that all replicas have clients. */
  function startLoad() {
    const failures: string[] = []
    let answered = 0
    let stopped = false
    const client = async (number: number) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress: `127.0.3.${number + 1}` })
      for (let seen = 0; !stopped; await delay(PACE_MS)) {
        try {
          const head = Number(JSON.parse(await post(agent)).result)
          if (!(head >= seen)) failures.push(`head ${head} after ${seen}`)
          seen = head
          answered++
        } catch (error) {
          failures.push(messageOf(error))
        }
      }
      agent.destroy()
    }
    const clients = Array.from({ length: CLIENTS }, (_, i) => client(i))
    return {
      failures,
      answered: () => answered,
      async stop() {
        stopped = true
        await Promise.all(clients)
      },
    }
  }

  async function post(agent: Agent): Promise<string> {
    const sent = request(network.url, { method: 'POST', agent, headers: { 'content-type': 'application/json' } })
    sent.end('{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}')
    const [response] = await once(sent, 'response')
    let body = ''
    for await (const chunk of response) body += String(chunk)
    if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${body}`)
    return body
  }
})
