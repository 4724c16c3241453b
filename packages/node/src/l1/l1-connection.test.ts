import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { RollupConfig, UnsupportedFork } from '@keelson/chainspec'
import { createPureCrypto, formatQuantity, type Hash, headerToJson } from '@keelson/primitives'
import {
  createMetrics,
  createRpcServer,
  createSilentLogger,
  createSystemClock,
  createSystemRandom,
  type RpcServer,
  resolveOptions,
} from '@keelson/runtime'
import { createFakeL1 } from '../../../../test/support/fake-l1.ts'
import { createRecordingLogger, type RecordingLogger } from '../../../../test/support/recording-logger.ts'
import type { Role } from '../role/role.ts'
import { type L1Connection, l1Options, openL1 } from './l1-connection.ts'

const clock = createSystemClock()
const CONFIG = { l1ChainId: 900n, genesis: { l1: { number: 0 } } } as RollupConfig
const NOBODY = 'http://127.0.0.1:1'

describe('the L1 of a role', () => {
  const l1 = createFakeL1({ genesisTimestampSec: 1_800_000_000, blockTimeSec: 12 })
  l1.mine(20)
  const servers: RpcServer[] = []
  const connections: L1Connection[] = []
  let log: RecordingLogger
  let role: Role

  const node = async (chainId = 900n) => {
    const methods = {
      eth_chainId: () => formatQuantity(chainId),
      eth_getBlockByNumber: ([at]: readonly unknown[]) => {
        const block = l1.block(at === 'latest' ? l1.head.number : Number(at))
        return block === null ? null : { ...headerToJson(block.header), hash: block.ref.hash }
      },
      eth_getBlockByHash: ([hash]: readonly unknown[]) => {
        const block = l1.block(hash as Hash)
        return block === null ? null : { ...headerToJson(block.header), hash: block.ref.hash }
      },
      eth_subscribe: () => '0x1',
    }
    const server = createRpcServer(
      { name: 'L1', host: '127.0.0.1', port: 0, http: true, ws: true },
      { methods, log: createSilentLogger(), clock },
    )
    await server.start(new AbortController().signal)
    servers.push(server)
    return server
  }
  const open = (...urls: string[]) => openBefore(null, ...urls)
  const openBefore = async (firstUnsupportedFork: UnsupportedFork | null, ...urls: string[]) => {
    const { values } = resolveOptions(l1Options, { flags: { 'l1.rpc': urls.join(',') } })
    const connection = await openL1(values, role, CONFIG, { ...l1.chain, firstUnsupportedFork })
    connections.push(connection)
    return connection
  }
  beforeEach(() => {
    log = createRecordingLogger()
    role = {
      clock,
      random: createSystemRandom(),
      log,
      metrics: createMetrics('keelson_test'),
      crypto: createPureCrypto(),
      rpc: () => assert.fail('it makes its own'),
      setLogLevel: () => assert.fail('the log stays as it is'),
      run: () => assert.fail('it is only opened'),
    }
  })
  afterEach(async () => {
    for (const { rpc } of connections.splice(0)) rpc.close()
    await Promise.all(servers.splice(0).map((server) => server.stop()))
  })

  it('is refused with what it is and what it should be', async () => {
    const { httpUrl } = await node(1n)
    await assert.rejects(open(httpUrl), {
      code: 'node/usage',
      message: /the L1 at 127\.0\.0\.1:\d+ is chain 1, rollup\.json expects 900: give --l1\.rpc of the right chain/,
    })
    await assert.rejects(open(''), { code: 'node/usage' })
  })

  it('is said to be missing when none answers', async () => {
    await assert.rejects(open(NOBODY, 'http://127.0.0.1:2'), {
      code: 'node/l1-unreachable',
      message:
        /no L1: .*127\.0\.0\.1:1 cannot be reached.*127\.0\.0\.1:2 cannot be reached.*; start it, or give --l1\.rpc of one that answers/,
    })
  })

  it('is there when one of several URLs is, whatever the others are', async () => {
    const [other, good] = [await node(1n), await node()]
    const { client } = await open(NOBODY, other.httpUrl, good.httpUrl)
    assert.equal((await client.blockRef('latest'))?.number, 20)
    const lines = log.lines.map(({ level, message }) => `${level} ${message}`)
    assert.ok(
      lines.some((line) => line.startsWith('error the L1 at') && line.includes('is chain 1, rollup.json expects 900: it is not used')),
    )
    assert.ok(lines.includes('warn L1 at 127.0.0.1:1 is suspended'))
  })

  it('warns of a fork that is not implemented from the start on, and ends before it with one line', async () => {
    const { httpUrl } = await node()
    const far = { name: 'bogota', timeSec: Math.floor(clock.nowMs() / 1000) + 90 * 86_400 }
    const { client: before } = await openBefore(far, httpUrl)
    const warning =
      /^fork bogota of L1 activates at \d+ \(.* UTC\), in (89|90) days, .* install a release that implements bogota before then$/
    assert.match(log.lines.find(({ level }) => level === 'warn')?.message ?? '', warning)
    assert.equal((await before.blockRef('latest'))?.number, 20)
    const [, seconds] =
      /^keelson_test_l1_unsupported_fork_in_seconds\{fork="bogota"\} (\d+)$/m.exec((await role.metrics.render()).text) ?? []
    assert.ok(Number(seconds) > 89 * 86_400 && Number(seconds) <= 90 * 86_400, seconds)

    log = createRecordingLogger()
    role = { ...role, log, metrics: createMetrics('keelson_test') }
    const { client } = await openBefore({ name: 'bogota', timeSec: 1_800_000_000 + 12 * 12 }, httpUrl)
    for (let i = 0; i < 3; i++) assert.equal((await client.blockRef('latest'))?.number, 11)
    assert.equal(await client.blockRef(12), null)
    const errors = log.lines.filter(({ level }) => level === 'error')
    assert.deepEqual(
      errors.map(({ message }) => message),
      ['stopped before fork bogota of L1'],
    )
    assert.match(String(errors[0]?.fields.why), /it activated at 1800000144 \(2027-01-15 .* L1 block 11 is the last one it can read/)
    assert.match(String(errors[0]?.fields.remedy), /install a release that implements bogota/)
  })

  it('has the metric that the alert rule for such a fork asks for', async () => {
    await open((await node()).httpUrl)
    const rules = readFileSync(new URL('../../../../config/prometheus/alerts.yml', import.meta.url), 'utf8')
    const [, asked] = /keelson_\([a-z|]+\)_(\w+)"\}/.exec(rules) ?? []
    assert.match((await role.metrics.render()).text, new RegExp(`^# TYPE keelson_test_${asked} gauge$`, 'm'))
  })

  it('tells of heads by itself over a WebSocket', async () => {
    const { client, news } = await open((await node()).wsUrl)
    assert.equal((await client.blockRef(3))?.number, 3)
    news?.onHead(() => undefined)
    while (news?.live !== true) await clock.sleep(5)
    assert.equal((await open((await node()).httpUrl)).news, null)
  })

  it('says at the start what following it will cost, and shows what it does cost', async () => {
    const l1Connection = await open((await node()).httpUrl)
    await l1Connection.sayEstimate({ pollIntervalMs: 1000, sequencer: false })
    assert.match(log.lines[0]?.message ?? '', /^about \d{4} requests an hour to L1 at its block time of 12 s, once caught up$/)
    assert.match((await role.metrics.render()).text, /l1_requests_total\{method="eth_getBlockByHash"\} 9/)
  })
})
