import assert from 'node:assert/strict'
import { refusalOf, wordsOf } from '../client/data/platform/ask.ts'
import { readEvents } from '../client/data/platform/read-events.ts'

const streamOf = (...parts: readonly string[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part))
      controller.close()
    },
  })

async function eventsOf(...parts: readonly string[]): Promise<readonly string[]> {
  const events: string[] = []
  for await (const event of readEvents(streamOf(...parts))) events.push(event)
  return events
}

describe('what the pages read from the platform', () => {
  it('is the data of events, wherever they are cut', async () => {
    const text = ': heartbeat\n\nid: 7-3\r\n\r\ndata: {"content":"a"}\n\nevent: x\ndata: one\ndata: two\n\ndata: [DONE]\n\n'
    const expected = ['{"content":"a"}', 'one\ntwo', '[DONE]']
    assert.deepEqual(await eventsOf(text), expected)
    assert.deepEqual(await eventsOf(...text), expected)
  })

  it('is at most so long for one event', async () => {
    await assert.rejects(eventsOf('data: ', 'x'.repeat(300_000)), RangeError)
  })

  it('says when to try again after too many requests', async () => {
    const headers = { 'content-type': 'application/json', 'retry-after': '7' }
    const refusal = await refusalOf(new Response('{"detail":"Rate limit exceeded"}', { status: 429, headers }))
    assert.equal(wordsOf(refusal), 'Too many requests. Try again in 7 s. (Rate limit exceeded)')
  })

  it('names the field that is wrong', async () => {
    const detail = [{ loc: ['body', 'email'], msg: 'value is not a valid email address' }]
    const refusal = await refusalOf(new Response(JSON.stringify({ detail }), { status: 422 }))
    assert.equal(wordsOf(refusal), 'email: value is not a valid email address')
  })

  it('has words for an answer that nobody can read', async () => {
    assert.equal(wordsOf(await refusalOf(new Response('<html>', { status: 500 }))), 'The platform answered with status 500.')
  })
})
