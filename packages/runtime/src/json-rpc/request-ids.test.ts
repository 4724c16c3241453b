/** JSON-RPC 2.0 section 5: the id of an answer "MUST be the same as the value of the id member in the Request Object". */
import assert from 'node:assert/strict'
import { createSilentLogger } from '../log.ts'
import { type RpcCaller, unlimitedCaller } from './access/rpc-access.ts'
import { DEFAULT_RPC_LIMITS, type RpcLimits } from './answerer.ts'
import { createDispatcher } from './dispatch.ts'
import { closeFrontDoors, openSocket, post, serveFrontDoor } from './front-door.test-support.ts'
import { parseRequest } from './request-ids.ts'
import type { RpcMethods } from './rpc-method.ts'

/** geth 1.17.10 answers each of these with the same text. */
const IDS = [
  '1',
  '0',
  '-0',
  '-1',
  '1.0',
  '1e3',
  '1E+3',
  '0.1000000000000000055511151231257827',
  '9007199254740993',
  '12345678901234567890',
  '-12345678901234567890',
  '1e400',
  `1${'0'.repeat(400)}`,
  'true',
  'false',
  'null',
  '""',
  '"a"',
  '"12345678901234567890"',
  '"\\u0061\\n\\/\\"\\\\"',
  '"}],{\\"id\\":7"',
  '"é"',
]
const NO_IDS = ['[]', '[1]', '{}', '{"id":1}', '[{"id":2}]']

const methods: RpcMethods = {
  echo: (params) => params,
  big: ([size]) => 'x'.repeat(Number(size)),
  fail: () => {
    throw new Error('never shown')
  },
}

const dispatch = (body: string, limits: Partial<RpcLimits> = {}, caller?: RpcCaller) =>
  createDispatcher({ methods, limits: { ...DEFAULT_RPC_LIMITS, ...limits }, log: createSilentLogger() }).dispatch(
    body,
    { signal: new AbortController().signal, transport: 'http' },
    caller,
  )
const call = (id: string, method = 'echo', params = '[]') => `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`
const idsIn = (text: string | null) => [...(text ?? '').matchAll(/"jsonrpc":"2.0","id":(.*?),"(?:result|error)":/gs)].map(([, id]) => id)

describe('JSON-RPC ids', () => {
  for (const id of IDS) {
    const shown = id.slice(0, 40)
    it(`come back as they were written: ${shown}`, async () => {
      for (const [body, limits] of [
        [call(id), {}],
        [call(id, 'fail'), {}],
        [call(id, 'unknown'), {}],
        [call(id, 'echo', '{"id":3}'), {}],
        [call(id, 'echo', '[{"id":3},"\\"id\\":4"]'), {}],
        [call(id, 'big', '[900]'), { maxResponseBytes: 500 }],
        [`{"id":${id},"method":"echo"}`, {}],
        [` { "method" : "id" , "jsonrpc":"2.0", "id" :\n${id} } `, {}],
        [`{"jsonrpc":"2.0","id":5,"method":"echo","id":${id}}`, {}],
        [`{"jsonrpc":"2.0","\\u0069d":${id},"method":"echo"}`, {}],
      ] as const)
        assert.deepEqual(idsIn((await dispatch(body, limits)).text), [id], body)
    })

    it(`come back as they were written, in batches: ${shown}`, async () => {
      const batch = `[${call('7')}, ${call(id)} ,${call('"b"', 'fail')},[{"id":9}],{"jsonrpc":"2.0","method":"echo"},5,${call(id, 'unknown')}]`
      assert.deepEqual(idsIn((await dispatch(batch)).text), ['7', id, '"b"', 'null', 'null', id])
      const tooLong = `[${Array(4).fill(call(id)).join()}]`
      assert.deepEqual(idsIn((await dispatch(tooLong, { maxBatchCalls: 3 })).text), [id])
      const tooMuch = `[${call('1', 'big', '[900]')},${call(id)}]`
      assert.deepEqual(idsIn((await dispatch(tooMuch, { maxResponseBytes: 500 })).text), ['1', id])
    })

    it(`come back as they were written, at the rate limit: ${shown}`, async () => {
      const spent: RpcCaller = { ...unlimitedCaller('a', 'a'), burst: 9, take: () => 1_000 }
      assert.deepEqual(idsIn((await dispatch(call(id), {}, spent)).text), [id])
      assert.deepEqual(idsIn((await dispatch(`[${call('7')},${call(id)}]`, {}, spent)).text), ['7', id])
    })
  }

  for (const id of NO_IDS)
    it(`are refused when they are lists or objects, as geth does: ${id}`, async () => {
      const answer = JSON.parse((await dispatch(call(id))).text ?? '') as { id: unknown; error: { code: number } }
      assert.deepEqual([answer.id, answer.error.code], [null, -32600])
    })

  it('come back as they were written over HTTP and over WebSocket', async () => {
    const { server } = await serveFrontDoor({ ws: true })
    const socket = await openSocket(server)
    const nextText = () => new Promise<string>((resolve) => socket.once('message', (data) => resolve(String(data))))
    try {
      for (const id of IDS) {
        for (const method of ['echo', 'subscribe', 'unknown']) {
          assert.deepEqual(idsIn(String((await post(server, call(id, method))).body)), [id])
          const text = nextText()
          socket.send(call(id, method))
          assert.deepEqual(idsIn(await text), [id])
        }
      }
    } finally {
      await closeFrontDoors()
    }
  })

  it('are found without a second parse, for any number of calls', () => {
    const { value, ids } = parseRequest(`[${Array.from({ length: 1_000 }, (_, i) => call(`${i}.0`)).join()}]`)
    assert.equal((value as unknown[]).length, 1_000)
    assert.deepEqual(
      ids,
      Array.from({ length: 1_000 }, (_, i) => `${i}.0`),
    )
  })
})
