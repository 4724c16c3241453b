import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { bytesToHex, type Hash, keccak256, toHash } from '@keelson/primitives'
import { createMetrics } from '@keelson/runtime'
import { createRecordingLogger } from '../../../../test/support/recording-logger.ts'
import { openTracing, type TracedStep, type Tracing } from './open-tracing.ts'

interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status: { readonly code: number }
  readonly service: string
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[] }
    readonly scopeSpans: readonly { readonly spans: readonly Omit<OtlpSpan, 'service'>[] }[]
  }[]
}

const HASH = toHash(`0x${'0123456789abcdef'.repeat(4)}`)
const TRACE_ID = '0123456789abcdef0123456789abcdef'
const ROOT_SPAN_ID = '0123456789abcdef'
const START_MS = Date.UTC(2026, 0, 1)

describe('traces of blocks', () => {
  let collector: Server
  let endpoint: string
  let status: number
  let received: OtlpSpan[]
  const opened: Tracing[] = []

  beforeEach(async () => {
    status = 200
    received = []
    collector = createServer((request, response) => {
      void text(request).then((body) => {
        assert.equal(request.url, '/v1/traces')
        if (status === 200) received.push(...spansOf(JSON.parse(body) as OtlpRequest))
        response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
      })
    }).listen(0, '127.0.0.1')
    await once(collector, 'listening')
    endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  })
  afterEach(async () => {
    for (const { service } of opened.splice(0)) await service.stop()
    collector.closeAllConnections()
    collector.close()
  })

  async function open(role: string, percent = 100) {
    const log = createRecordingLogger()
    const metrics = createMetrics(`keelson_${role}`)
    const tracing = await openTracing(role, { tracingEndpoint: endpoint, tracingPercent: percent, metricsPort: 7300 }, { log, metrics })
    assert.ok(tracing)
    opened.push(tracing)
    return { tracing, log, metrics }
  }
  const span = (step: TracedStep['step'], hash: Hash = HASH): TracedStep => ({
    step,
    block: { number: 7, hash },
    startMs: START_MS,
    endMs: START_MS + 25,
  })

  it('join the steps of a block on all nodes under the build of the sequencer', async () => {
    const sequencer = (await open('consensus')).tracing
    const follower = (await open('execution')).tracing
    for (const step of ['insert', 'build', 'publish'] as const) sequencer.record(span(step))
    for (const step of ['receive', 'execute', 'derive'] as const) follower.record(span(step))
    await sequencer.service.stop()
    await follower.service.stop()
    const root = received.find(({ name }) => name === 'block build')
    assert.deepEqual(
      [root?.traceId, root?.spanId, root?.parentSpanId, root?.service],
      [TRACE_ID, ROOT_SPAN_ID, undefined, 'keelson-consensus'],
    )
    assert.equal(root?.startTimeUnixNano, `${BigInt(START_MS) * 1_000_000n}`)
    assert.equal(root?.endTimeUnixNano, `${BigInt(START_MS + 25) * 1_000_000n}`)
    const children = received.filter((one) => one !== root)
    assert.deepEqual(children.map(({ name }) => name).sort(), [
      'block derive',
      'block execute',
      'block insert',
      'block publish',
      'block receive',
    ])
    for (const { traceId, parentSpanId } of children) assert.deepEqual([traceId, parentSpanId], [TRACE_ID, ROOT_SPAN_ID])
    assert.equal(new Set(received.map(({ spanId }) => spanId)).size, 6)
    assert.equal(received.find(({ name }) => name === 'block execute')?.service, 'keelson-execution')
  })

  it('mark the insertion of an invalid block as failed', async () => {
    const { tracing } = await open('consensus')
    tracing.record({ ...span('insert'), facts: { status: 'INVALID' } })
    await tracing.service.stop()
    assert.equal(received[0]?.status.code, 2)
  })

  it('are of the same blocks on nodes with the same percentage', async () => {
    const hashes = Array.from({ length: 200 }, (_, i) => toHash(bytesToHex(keccak256(Uint8Array.of(i)))))
    const [first, second] = [(await open('consensus', 50)).tracing, (await open('execution', 50)).tracing]
    for (const hash of hashes) first.record(span('insert', hash))
    for (const hash of hashes) second.record(span('execute', hash))
    await first.service.stop()
    await second.service.stop()
    const tracesOf = (service: string) => received.filter((one) => one.service === service).map(({ traceId }) => traceId)
    assert.deepEqual(tracesOf('keelson-consensus'), tracesOf('keelson-execution'))
    const traced = tracesOf('keelson-consensus').length
    assert.ok(traced > 50 && traced < 150, `${traced} of 200`)
  })

  it('are off without an endpoint', async () => {
    const deps = { log: createRecordingLogger(), metrics: createMetrics('keelson_consensus') }
    assert.equal(await openTracing('consensus', { tracingEndpoint: null, tracingPercent: 100, metricsPort: 7300 }, deps), null)
  })

  it('are dropped with one warning while the collector refuses them', async () => {
    status = 400
    const { tracing, log, metrics } = await open('consensus')
    tracing.record(span('insert'))
    tracing.record(span('derive'))
    await tracing.service.stop()
    assert.equal(log.matching('does not accept traces').length, 1)
    assert.match((await metrics.render()).text, /keelson_consensus_tracing_spans_total\{outcome="lost"\} 2/)
  })
})

function spansOf({ resourceSpans }: OtlpRequest): OtlpSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? ''
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })))
  })
}
