import assert from 'node:assert/strict'
import { CodecError, NodeError } from '@keelson/primitives'
import { createSilentLogger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { DEFAULT_RPC_LIMITS, type RpcLimits } from './answerer.ts'
import { createDispatcher } from './dispatch.ts'
import { RawJson } from './raw-json.ts'
import { invalidParams, RpcError } from './rpc-error.ts'
import type { RpcContext, RpcMethods } from './rpc-method.ts'

class Full extends NodeError<'test/full'> {}

const calls: string[] = []
const methods: RpcMethods = {
  echo: (params) => params,
  nothing: () => undefined,
  log: ([text]) => void calls.push(String(text)),
  slow: (_params, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('too late'))),
  big: ([size]) => 'x'.repeat(Number(size)),
  revert: () => {
    throw new RpcError(3, 'execution reverted', '0x')
  },
  badInput: () => {
    throw new CodecError('codec/hex', 'not hex')
  },
  missing: () => {
    throw invalidParams('missing value for required argument 0')
  },
  full: () => {
    throw new Full('test/full', 'the pool is full')
  },
  bug: () => {
    throw new TypeError('secret detail')
  },
  unprintable: () => 10n,
  raw: ([text]) => new RawJson(String(text)),
}

function countParses() {
  const original = JSON.parse
  const counted = {
    longest: 0,
    stop: () => {
      JSON.parse = original
    },
  }
  JSON.parse = (text, reviver) => {
    counted.longest = Math.max(counted.longest, text.length)
    return original(text, reviver)
  }
  return counted
}

const context: RpcContext = { signal: new AbortController().signal, transport: 'http' }

function dispatcher(limits: Partial<RpcLimits> = {}) {
  return createDispatcher({
    methods,
    limits: { ...DEFAULT_RPC_LIMITS, ...limits },
    log: createSilentLogger(),
    metrics: createMetrics('test'),
  })
}

async function ask(body: unknown, limits: Partial<RpcLimits> = {}): Promise<unknown> {
  const { text } = await dispatcher(limits).dispatch(typeof body === 'string' ? body : JSON.stringify(body), context)
  return text === null ? null : JSON.parse(text)
}

const request = (method: string, params?: unknown, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
})
const failure = (code: number, message: string, id: unknown = 1) => ({ jsonrpc: '2.0', id, error: { code, message } })

describe('JSON-RPC dispatch', () => {
  it('passes on results that are JSON text, alone, in a batch and within the limits', async () => {
    const text = '{"a":[1,"é"]}'
    const one = await dispatcher().dispatch(JSON.stringify(request('raw', [text])), context)
    assert.equal(one.text, `{"jsonrpc":"2.0","id":1,"result":${text}}`)
    const batch = await dispatcher().dispatch(JSON.stringify([request('raw', [text]), request('echo', [2], 7)]), context)
    assert.equal(batch.text, `[{"jsonrpc":"2.0","id":1,"result":${text}},{"jsonrpc":"2.0","id":7,"result":[2]}]`)
    const large = (await ask(request('raw', [JSON.stringify('x'.repeat(200))]), { maxResponseBytes: 100 })) as { error: { code: number } }
    assert.equal(large.error.code, -32003)
  })

  it('returns the id of a call as it was sent', async () => {
    for (const id of [1, 'a"b', null, 1.5, '']) {
      assert.deepEqual(await ask(request('echo', [1, 'x'], id)), { jsonrpc: '2.0', id, result: [1, 'x'] })
    }
    assert.deepEqual(await ask(request('echo')), { jsonrpc: '2.0', id: 1, result: [] })
    assert.deepEqual(await ask(request('nothing')), { jsonrpc: '2.0', id: 1, result: null })
  })

  it('reports an unknown method with the text that libraries match', async () => {
    assert.deepEqual(await ask(request('foo_bar')), failure(-32601, 'the method foo_bar does not exist/is not available'))
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      assert.deepEqual(await ask(request(name)), failure(-32601, `the method ${name} does not exist/is not available`))
    }
  })

  it('rejects invalid JSON and invalid requests', async () => {
    assert.deepEqual(await ask('{"jsonrpc": "2.0", "method"'), failure(-32700, 'Parse error', null))
    assert.deepEqual(await ask(''), failure(-32700, 'Parse error', null))
  })

  it('rejects a value nested so deeply that formatting it would overflow the stack, and states the limit', async () => {
    const nested = (depth: number) => ask(`{"jsonrpc":"2.0","id":1,"method":"echo","params":${'['.repeat(depth)}${']'.repeat(depth)}}`)
    const message = 'Parse error: lists and objects are nested deeper than the limit of 64; send flatter parameters'
    for (const depth of [64, 500, 100_000]) assert.deepEqual(await nested(depth), failure(-32700, message, null))
    assert.ok('result' in ((await nested(63)) as object), 'the request object and 63 lists')
    for (const body of [
      1,
      'null',
      '"text"',
      {},
      { id: 7 },
      { jsonrpc: '1.0', id: 1, method: 'echo' },
      { jsonrpc: '2.0', id: 1, method: 5 },
    ]) {
      const answer = (await ask(body)) as { error: { code: number }; id: unknown }
      assert.equal(answer.error.code, -32600)
    }
    const strange = (await ask(request('echo', [], { nested: true }))) as { id: unknown; error: { code: number } }
    assert.deepEqual([strange.id, strange.error.code], [null, -32600])
  })

  it('refuses named parameters', async () => {
    assert.deepEqual(await ask(request('echo', { a: 1 })), failure(-32602, 'non-array args'))
    assert.equal(((await ask(request('echo', 'text'))) as { error: { code: number } }).error.code, -32600)
  })

  it('answers a batch in its order and leaves notifications unanswered', async () => {
    calls.length = 0
    const answer = await ask([
      request('log', ['first'], 3),
      { jsonrpc: '2.0', method: 'log', params: ['second'] },
      request('foo', [], 1),
      7,
      request('log', ['third'], 2),
    ])
    assert.deepEqual(
      (answer as { id: unknown }[]).map(({ id }) => id),
      [3, 1, null, 2],
    )
    assert.deepEqual(calls, ['first', 'second', 'third'])
  })

  it('runs notifications and answers nothing, not even an error', async () => {
    calls.length = 0
    assert.equal(await ask({ jsonrpc: '2.0', method: 'log', params: ['x'] }), null)
    assert.equal(
      await ask([
        { jsonrpc: '2.0', method: 'bug' },
        { jsonrpc: '2.0', method: 'foo' },
      ]),
      null,
    )
    assert.deepEqual(calls, ['x'])
  })

  it('refuses empty and oversized batches with one error', async () => {
    assert.deepEqual(await ask([]), failure(-32600, 'Invalid request: an empty batch', null))
    const answer = await ask([{ jsonrpc: '2.0', method: 'echo' }, request('echo', [], 7), request('echo', [], 8)], { maxBatchCalls: 2 })
    assert.deepEqual(answer, [failure(-32600, 'batch too large: 3 calls; at most 2 are answered at once', 7)])
  })

  it('maps errors by one table and hides internal details', async () => {
    assert.deepEqual(await ask(request('revert')), { jsonrpc: '2.0', id: 1, error: { code: 3, message: 'execution reverted', data: '0x' } })
    assert.deepEqual(await ask(request('badInput')), failure(-32602, 'not hex'))
    assert.deepEqual(await ask(request('missing')), failure(-32602, 'missing value for required argument 0'))
    assert.deepEqual(await ask(request('full')), failure(-32000, 'the pool is full'))
    assert.deepEqual(await ask(request('bug')), failure(-32603, 'Internal error'))
    assert.deepEqual(await ask(request('unprintable')), failure(-32603, 'Internal error'))
  })

  it('lets a package map its own errors', async () => {
    const custom = createDispatcher({
      methods,
      limits: DEFAULT_RPC_LIMITS,
      log: createSilentLogger(),
      mapError: (error) => (error instanceof Full ? new RpcError(-38004, 'too much') : null),
    })
    const { text } = await custom.dispatch(JSON.stringify(request('full')), context)
    assert.deepEqual(JSON.parse(String(text)), failure(-38004, 'too much'))
  })

  it('ends a call, and the rest of its batch, at the deadline', async () => {
    const answer = await ask([request('echo', [], 1), request('slow', [], 2), request('echo', [], 3)], { timeoutMs: 500 })
    assert.deepEqual(answer, [
      { jsonrpc: '2.0', id: 1, result: [] },
      failure(-32002, 'request timed out after 500 ms', 2),
      failure(-32002, 'request timed out after 500 ms', 3),
    ])
  })

  it('limits the response of one call and of a batch', async () => {
    const one = (await ask(request('big', [200]), { maxResponseBytes: 100 })) as { error: { code: number } }
    assert.equal(one.error.code, -32003)
    const batch = [request('big', [200], 1), request('big', [200], 2), request('echo', [], 3)]
    const many = (await ask(batch, { maxResponseBytes: 400 })) as { id: number; result?: string; error?: { code: number } }[]
    assert.deepEqual(
      many.map(({ id, result, error }) => [id, result?.length ?? error?.code]),
      [
        [1, 200],
        [2, -32003],
        [3, -32003],
      ],
    )
  })

  describe('for a caller with a budget', () => {
    const caller = (tokens: number, burst = 150, waitMs = 1500) => {
      const asked: number[] = []
      const take = (calls: number) => {
        asked.push(calls)
        if (calls > tokens) return waitMs
        tokens -= calls
        return 0
      }
      const charged: number[] = []
      return {
        tier: 'anonymous',
        client: 'x',
        known: false,
        burst,
        take,
        reserve: async (calls: number) => take(calls),
        asked,
        charge: (cost: number) => void charged.push(cost),
        charged,
      }
    }
    const metrics = createMetrics('test')
    const bounded = createDispatcher({ methods, limits: DEFAULT_RPC_LIMITS, log: createSilentLogger(), metrics })
    const answer = async (body: unknown, from: ReturnType<typeof caller>) => {
      const { text, waitMs } = await bounded.dispatch(typeof body === 'string' ? body : JSON.stringify(body), context, from)
      return { answer: text === null ? null : JSON.parse(text), waitMs }
    }
    const limited = (id: unknown) => failure(429, 'Rate limited: too many requests; back off and try again in 2 s', id)

    it('takes one token for each item, even an invalid one', async () => {
      const from = caller(10)
      await answer(request('echo'), from)
      await answer('no json', from)
      await answer([request('echo'), 7, { jsonrpc: '2.0', method: 'echo' }, request('foo')], from)
      assert.deepEqual(from.asked, [1, 1, 4])
    })

    it('refuses a whole batch when there are too few tokens, and runs none of it', async () => {
      calls.length = 0
      const batch = [request('log', ['x'], 'a'), { jsonrpc: '2.0', method: 'log', params: ['y'] }, 7, request('log', ['z'], 2)]
      const refused = await answer(batch, caller(3))
      assert.equal(refused.waitMs, 1500)
      assert.deepEqual(refused.answer.slice(0, 1), [limited('a')])
      assert.deepEqual(refused.answer.slice(2), [limited(2)])
      assert.equal(refused.answer[1].error.code, -32600)
      assert.deepEqual(calls, [])
      assert.equal((await answer(batch, caller(4))).waitMs, null)
      assert.deepEqual(calls, ['x', 'y', 'z'])
      assert.deepEqual(await answer(request('echo', [], 5), caller(0)), { answer: limited(5), waitMs: 1500 })
    })

    it('reports that a batch larger than the burst can never pass', async () => {
      const batch = Array.from({ length: 4 }, (_, i) => request('echo', [], i))
      const error = failure(-32600, 'batch too large: 4 calls; at most 3 are answered at once', 0)
      assert.deepEqual(await answer(batch, caller(3, 3)), { answer: [error], waitMs: null })
      assert.equal((await answer(batch.slice(1), caller(3, 3))).answer.length, 3)
    })

    it('takes one token for each 64 KiB of a large body, before it is parsed', async () => {
      const body = (characters: number) => JSON.stringify(request('echo')).padEnd(characters)
      const exact = caller(10)
      await answer(body(64 * 1024), exact)
      const more = caller(10)
      await answer(body(64 * 1024 + 1), more)
      assert.deepEqual([exact.asked, more.asked], [[1], [2, 0]])
      assert.deepEqual(await answer(body(128 * 1024), caller(1)), { answer: limited(null), waitMs: 1500 })
      const small = caller(3, 3)
      assert.equal((await answer(body(1024 * 1024), small)).waitMs, null)
      assert.deepEqual(small.asked, [3, 0])
    })

    it('rejects 1 MB of empty objects before parsing them', async () => {
      const from = caller(150)
      const parsed = countParses()
      const body = `[${'{},'.repeat(300_000)}0]`
      try {
        const { answer: refused } = await answer(body, from)
        assert.match(refused.error.message, /more than 100000 brackets, commas and colons/)
        assert.ok(parsed.longest < 300, 'the answer alone was parsed')
        const batch = `[{"id":7},${'7,'.repeat(6_000)}0]`
        const [tooMany] = (await answer(batch, caller(150))).answer
        assert.deepEqual(tooMany, failure(-32600, 'batch too large: 6002 calls; at most 150 are answered at once', 7))
        assert.ok(parsed.longest < 300, 'of a batch that is too long, the first call alone')
      } finally {
        parsed.stop()
      }
    })

    it('takes one token per 5,000 brackets, commas and colons', async () => {
      const params = Array.from({ length: 12_000 }, () => 0)
      const from = caller(150)
      assert.equal((await answer(request('echo', params), from)).waitMs, null)
      // The outer call costs ten tokens.
      assert.deepEqual(from.asked, [3, 0])
      const poor = caller(2)
      assert.equal((await answer(request('echo', params), poor)).waitMs, 1500)
    })

    it('allows holders of a key more structure, for its price', async () => {
      const params = Array.from({ length: 120_000 }, () => 0)
      const from = { ...caller(750, 750), known: true }
      assert.equal((await answer(request('echo', params), from)).waitMs, null)
      assert.deepEqual(from.asked, [4, 21, 0])
    })

    it('takes the price of each method, and rejects batches that cost more than the burst', async () => {
      const priced = createDispatcher({
        methods,
        limits: DEFAULT_RPC_LIMITS,
        log: createSilentLogger(),
        methodPrice: (method) => (method === 'log' ? 20 : 1),
      })
      const from = caller(150)
      calls.length = 0
      const batch = (logs: number) => JSON.stringify([request('echo'), ...Array.from({ length: logs }, (_, i) => request('log', [`${i}`]))])
      await priced.dispatch(batch(2), context, from)
      assert.deepEqual(from.asked, [41])
      const refused = await priced.dispatch(batch(8), context, from)
      assert.match(String(refused.text), /the calls cost 161 tokens, more than the burst of 150; send fewer calls/)
      assert.equal(refused.waitMs, null)
      assert.deepEqual(calls, ['0', '1'])
    })

    it('charges a large answer to its caller, one token per 64 KiB', async () => {
      const from = caller(150)
      await answer(request('big', [64 * 1024 - 100]), from)
      await answer([request('big', [300 * 1024])], from)
      assert.deepEqual(from.charged, [4])
    })

    it('is counted by tier and by known classes only', async () => {
      await answer(
        Array.from({ length: 3 }, (_, i) => request(`made_up${i}`)),
        caller(3),
      )
      await answer(request('big', [1]), { ...caller(0), tier: 'developer' })
      const { text } = await metrics.render()
      assert.match(text, /test_rpc_requests_total\{tier="anonymous",class="unknown"\} \d+/)
      assert.match(text, /test_rpc_refused_total\{tier="developer",class="big"\} 1/)
      assert.ok(!text.includes('made_up'))
    })
  })

  it('yields the thread in a long batch of quick calls', async () => {
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    const busy = {
      busy: () => {
        const endMs = performance.now() + 2
        while (performance.now() < endMs);
        return null
      },
    }
    const long = createDispatcher({ methods: busy, limits: DEFAULT_RPC_LIMITS, log: createSilentLogger() })
    await long.dispatch(JSON.stringify(Array.from({ length: 50 }, (_, i) => request('busy', [], i))), context)
    clearInterval(timer)
    assert.ok(turns >= 3, `${turns} turns`)
  })

  it('ends calls when the caller goes away', async () => {
    const gone = new AbortController()
    const answer = dispatcher().dispatch(JSON.stringify(request('slow')), { ...context, signal: gone.signal })
    gone.abort()
    assert.equal(JSON.parse(String((await answer).text)).error.code, -32002)
  })
})
