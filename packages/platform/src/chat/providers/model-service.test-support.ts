import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ModelProvider } from './model-config.ts'

export interface ScriptedCall {
  readonly name: string
  readonly args: unknown
}

export type ModelStep =
  | { readonly text?: readonly string[]; readonly calls?: readonly ScriptedCall[]; readonly end?: 'length' }
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly hang: string }
  | { readonly broken: string }
  | { readonly malformed: true }
  | { readonly huge: true }
  | { readonly redirect: string }

export const HIDDEN_WORD = 'hidden-word'

export interface ModelService {
  readonly url: string
  script: (ModelStep | ((sent: SentRequest) => ModelStep))[]
  readonly requests: SentRequest[]
  close(): void
}

export interface SentRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, unknown>>
  // biome-ignore lint/suspicious/noExplicitAny: either interface's
  readonly body: any
}

export async function openModelService(provider: ModelProvider): Promise<ModelService> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const sent = { path: request.url ?? '', headers: request.headers, body: JSON.parse(Buffer.concat(pieces).toString()) }
    service.requests.push(sent)
    const next = service.script.shift() ?? { status: 599 }
    await answer(provider, response, typeof next === 'function' ? next(sent) : next)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const service: ModelService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    script: [],
    requests: [],
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return service
}

async function answer(provider: ModelProvider, response: ServerResponse, step: ModelStep): Promise<void> {
  if ('status' in step) {
    response.writeHead(step.status, { 'content-type': 'application/json', ...step.headers })
    response.end(JSON.stringify({ error: { message: HIDDEN_WORD, type: 'x' }, type: 'error' }))
    return
  }
  if ('redirect' in step) {
    response.writeHead(307, { location: step.redirect }).end()
    return
  }
  const write = provider === 'openai' ? openaiWriter(response) : anthropicWriter(response)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  write.begin()
  if ('malformed' in step) response.end(`data: {"choices": [${HIDDEN_WORD}\n\n`)
  else if ('hang' in step) write.text([step.hang])
  else if ('broken' in step) {
    write.text([step.broken])
    response.write('', () => response.destroy())
  } else if ('huge' in step) {
    const piece = `: ${'x'.repeat(65_536)}\n\n`
    const closed = once(response, 'close')
    while (!response.destroyed) {
      if (!response.write(piece)) await Promise.race([closed, new Promise<void>((resolve) => response.once('drain', resolve))])
    }
  } else {
    if (step.text !== undefined) write.text(step.text)
    if (step.calls !== undefined) write.calls(step.calls)
    write.end(step.end === 'length' ? 'length' : step.calls === undefined ? 'stop' : 'calls')
  }
}

interface Writer {
  begin(): void
  text(fragments: readonly string[]): void
  calls(calls: readonly ScriptedCall[]): void
  end(why: 'stop' | 'calls' | 'length'): void
}

function openaiWriter(response: ServerResponse): Writer {
  const send = (delta: object, finish: string | null = null) =>
    response.write(
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
    )
  return {
    begin: () => send({ role: 'assistant' }),
    text: (fragments) => {
      for (const content of fragments) send({ content })
    },
    calls: (calls) =>
      calls.forEach(({ name, args }, index) => {
        send({ tool_calls: [{ index, id: `call-${index}`, type: 'function', function: { name, arguments: '' } }] })
        send({ tool_calls: [{ index, function: { arguments: JSON.stringify(args) } }] })
      }),
    end(why) {
      send({}, { stop: 'stop', calls: 'tool_calls', length: 'length' }[why])
      const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }
      response.write(
        `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage })}\n\n`,
      )
      response.end('data: [DONE]\n\n')
    },
  }
}

function anthropicWriter(response: ServerResponse): Writer {
  let index = 0
  const send = (type: string, fields: object) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
  const block = (content: object, deltas: readonly object[]) => {
    send('content_block_start', { index, content_block: content })
    for (const delta of deltas) send('content_block_delta', { index, delta })
    send('content_block_stop', { index })
    index++
  }
  return {
    begin: () =>
      send('message_start', {
        message: {
          id: 'm',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 11, output_tokens: 1 },
        },
      }),
    text: (fragments) =>
      block(
        { type: 'text', text: '' },
        fragments.map((text) => ({ type: 'text_delta', text })),
      ),
    calls: (calls) => {
      for (const { name, args } of calls)
        block({ type: 'tool_use', id: `call_${index}`, name, input: {} }, [
          { type: 'input_json_delta', partial_json: JSON.stringify(args) },
        ])
    },
    end(why) {
      const stop_reason = { stop: 'end_turn', calls: 'tool_use', length: 'max_tokens' }[why]
      send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 7 } })
      send('message_stop', {})
      response.end()
    },
  }
}
