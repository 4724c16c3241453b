import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalSigner } from '@keelson/client'
import { bytesToHex, createPureCrypto, formatQuantity } from '@keelson/primitives'
import { Secret } from '@keelson/runtime'
import { createFakeL1, type FakeL1 } from '../../packages/client/src/tx/fake-l1.test-support.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'
import { AMOUNT_WEI, addressOf } from '../support/faucet-world.ts'
import { type KeelsonProcess, runKeelson, startKeelson } from '../support/keelson-process.ts'
import { type PostgresServer, postgresSources } from '../support/postgres.ts'
import { type ServedRpc, serveRpc } from '../support/rpc-over-http.ts'

const NETWORK = 'op-sepolia'
const HOST = '127.0.0.1'
const KILLS = 6
const CLAIMS_A_ROUND = 25
const KEY = new Uint8Array(32).fill(9)

interface Instance {
  readonly url: string
  readonly metricsUrl: string
  readonly process: KeelsonProcess
}

/** Mines a block whenever a faucet asks for the newest one. */
function createChain(): FakeL1 {
  const { genesis, l2_chain_id: chainId } = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', 'config', 'networks', NETWORK, 'rollup.json'), 'utf8'),
  ) as { genesis: { l2: { hash: string } }; l2_chain_id: number }
  const chain = createFakeL1(createLocalSigner(new Secret(KEY) as never, createPureCrypto()).address)
  const { eth_getBlockByNumber: block, eth_blockNumber: head } = chain.rpc.methods as Record<string, (...params: unknown[]) => unknown>
  chain.balanceWei = 10n ** 24n
  Object.assign(chain.rpc.methods, {
    eth_chainId: () => formatQuantity(BigInt(chainId)),
    eth_getCode: () => '0x',
    eth_blockNumber() {
      chain.mine()
      return head?.()
    },
    eth_getBlockByNumber: (at: string, full: boolean) => ({ ...(block?.(at, full) as object), hash: genesis.l2.hash }),
  })
  return chain
}

describe('a faucet process whose PostgreSQL is away', () => {
  let faucet: KeelsonProcess
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-faucet-'))
  })
  after(async () => {
    await faucet?.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  const options = (port: number) => [
    ...['faucet', 'serve', '--network', NETWORK, '--l2.rpc', `http://${HOST}:${port}`, '--data-dir', folder],
    ...['--http.port', String(port + 1), '--metrics.port', String(port + 2), '--database-url', `postgres://${HOST}:${port}/faucet`],
  ]
  const env = { KEELSON_PRIVATE_KEY: bytesToHex(KEY) }

  it('answers 503 and says what is wrong, since when and what to do', async () => {
    const { spare } = await claimE2ePorts()
    faucet = startKeelson(options(spare), { env })
    const report = await eventually('the report', async () => {
      const text = await (await fetch(`http://${HOST}:${spare + 2}/readyz`)).text()
      return text.includes('ECONNREFUSED') ? text : null
    })
    assert.match(report, /PostgreSQL does not answer: ECONNREFUSED/)
    assert.match(report, /since /)
    assert.match(report, /check --database-url and that it is running/)
    const claimed = await fetch(`http://${HOST}:${spare + 1}/api/claim`, { method: 'POST', body: '{}' })
    assert.deepEqual([claimed.status, ((await claimed.json()) as { code: string }).code], [503, 'no-leader'])
    assert.ok(Number(claimed.headers.get('retry-after')) > 0)
    const refused = await runKeelson([...options(spare + 4), '--http.host', '0.0.0.0'], { env })
    assert.deepEqual([refused.code !== 0, /--instance-url/.test(refused.stderr + refused.stdout)], [true, true])
  })
})

for (const source of postgresSources()) {
  describe(`faucet processes that share ${source.name}`, () => {
    let server: PostgresServer
    let database: Awaited<ReturnType<PostgresServer['createDatabase']>>
    let chain: FakeL1
    let rpc: ServedRpc
    let folder: string
    let firstPort: number
    const instances: Instance[] = []
    const paid = new Map<number, string>()
    before(async () => {
      server = await source.open()
      database = await server.createDatabase()
      firstPort = (await claimE2ePorts()).spare
      chain = createChain()
      rpc = await serveRpc(chain.rpc, firstPort)
      folder = mkdtempSync(join(tmpdir(), 'keelson-faucets-'))
      instances.push(start(0), start(1))
      for (const instance of instances) await eventually('a ready faucet', () => isReady(instance))
    })
    after(async () => {
      await Promise.all(instances.map(({ process }) => process.kill()))
      await rpc?.stop()
      await database?.drop()
      await server?.stop()
      rmSync(folder, { recursive: true, force: true })
    })

    function start(i: number): Instance {
      const [port, metricsPort] = [firstPort + 1 + 2 * i, firstPort + 2 + 2 * i]
      const process = startKeelson(
        [
          ...['faucet', 'serve', '--network', NETWORK, '--l2.rpc', rpc.url, '--data-dir', join(folder, String(i))],
          ...['--http.port', String(port), '--metrics.port', String(metricsPort), '--http.trusted-proxies', HOST],
          ...['--http.requests-per-sec', '1000', '--http.request-burst', '1000', '--low-balance', '0'],
        ],
        { env: { KEELSON_DATABASE_URL: database.url, KEELSON_PRIVATE_KEY: bytesToHex(KEY) } },
      )
      return { url: `http://${HOST}:${port}`, metricsUrl: `http://${HOST}:${metricsPort}`, process }
    }
    const isReady = async ({ metricsUrl, process }: Instance) => {
      const ended = process.finished.then(({ code, stderr, stdout }) => {
        throw new Error(`a faucet ended with code ${code}: ${(stdout + stderr).slice(-2_000)}`)
      })
      return (await Promise.race([fetch(`${metricsUrl}/readyz`), ended])).status === 200
    }
    const leads = async ({ metricsUrl }: Instance) =>
      /^keelson_faucet_leader 1$/m.test(await (await fetch(`${metricsUrl}/metrics`, { signal: AbortSignal.timeout(2_000) })).text())
    const leader = async (of: readonly Instance[] = instances) => {
      for (const instance of of) if (await leads(instance).catch(() => false)) return instance
      return null
    }

    /** As a careful client: with one key, on any instance, until the claim is paid. */
    async function claim(n: number): Promise<void> {
      let tries = n
      await eventually(`claim ${n}`, async () => {
        const { url } = instances[tries++ % instances.length] as Instance
        const response = await fetch(`${url}/api/claim`, {
          method: 'POST',
          headers: {
            ...{ 'content-type': 'application/json', connection: 'close' },
            ...{ 'idempotency-key': `claim-${n}`, 'x-forwarded-for': `10.${n >> 8}.${n & 255}.1` },
          },
          body: JSON.stringify({ address: addressOf(n) }),
          signal: AbortSignal.timeout(5_000),
        })
        const body = (await response.json()) as { txHash?: string; code?: string; error?: string }
        if (response.status === 200) paid.set(n, body.txHash as string)
        else assert.ok(response.status === 503, `claim ${n}: ${response.status} ${JSON.stringify(body)}`)
        return response.status === 200
      })
    }
    const paidWei = (n: number) =>
      chain.mined().reduce((sum, tx) => (tx.to !== null && bytesToHex(tx.to) === addressOf(n) ? sum + tx.valueWei : sum), 0n)
    async function assertPaidOnce(claims: number): Promise<void> {
      await eventually('all payments', async () => [...Array(claims).keys()].every((n) => paidWei(n) > 0n))
      for (let n = 0; n < claims; n++) assert.equal(paidWei(n), AMOUNT_WEI, `claim ${n}`)
    }

    it('pay each claim once while one after the other is killed', async () => {
      for (let round = 0; round < KILLS; round++) {
        const claims = Array.from({ length: CLAIMS_A_ROUND }, (_, i) => claim(round * CLAIMS_A_ROUND + i))
        await Promise.race(claims.slice(0, 1 + 4 * round))
        const victim = (await eventually('a leader', () => leader())) as Instance
        const place = instances.indexOf(victim)
        await victim.process.kill()
        const [next] = await Promise.all([
          eventually('the next leader', () => leader(instances.filter((one) => one !== victim))),
          ...claims,
        ])
        assert.notEqual(next, victim)
        instances[place] = start(place)
        await eventually('the replacement', () => isReady(instances[place] as Instance))
      }
      await assertPaidOnce(KILLS * CLAIMS_A_ROUND)
    })

    it('pay each claim once when the leader is paused and continues after its successor', async () => {
      const first = KILLS * CLAIMS_A_ROUND
      const paused = (await eventually('a leader', () => leader())) as Instance
      const claims = Array.from({ length: CLAIMS_A_ROUND }, (_, i) => claim(first + i))
      await claims[0]
      paused.process.signal('SIGSTOP')
      const others = instances.filter((one) => one !== paused)
      await eventually('a successor', () => leader(others))
      await Promise.all(claims)
      paused.process.signal('SIGCONT')
      await eventually('the end of the first lead', async () => !(await leads(paused)))
      await Promise.all(Array.from({ length: CLAIMS_A_ROUND }, (_, i) => claim(first + CLAIMS_A_ROUND + i)))
      await assertPaidOnce(first + 2 * CLAIMS_A_ROUND)
      assert.equal(paid.size, first + 2 * CLAIMS_A_ROUND)
    })
  })
}
