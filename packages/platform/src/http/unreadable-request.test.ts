import assert from 'node:assert/strict'
import { type AddressInfo, connect } from 'node:net'
import { createHttpServer } from '@keelson/runtime'
import { MAX_HEAD_BYTES, renderFault } from './unreadable-request.ts'

async function answerTo(text: string): Promise<string> {
  const options = { allowed: () => 'GET', virtualHosts: [], renderFault, node: { maxHeaderSize: MAX_HEAD_BYTES } }
  const server = createHttpServer(options, (_request, response) => response.end('reached'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  try {
    socket.write(text)
    let answer = ''
    for await (const piece of socket) answer += piece
    return answer
  } finally {
    socket.destroy()
    server.close()
  }
}

function statusAndDetail(answer: string): readonly [string, string] {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  assert.match(head, /content-type: application\/json/)
  assert.match(head, new RegExp(`content-length: ${Buffer.byteLength(body)}\r\n`))
  return [head.split('\r\n')[0] as string, JSON.parse(body).detail]
}

describe('a request that the HTTP parser rejects', () => {
  it('is answered with 431 and the limit when its address and headers are too long', async () => {
    const answer = await answerTo(`GET /mcp?x=${'x'.repeat(MAX_HEAD_BYTES)} HTTP/1.1\r\nhost: a\r\n\r\n`)
    assert.deepEqual(statusAndDetail(answer), [
      'HTTP/1.1 431 Request Header Fields Too Large',
      'The path and the headers are longer than 16384 bytes',
    ])
  })

  it('is answered with 400 when it is not HTTP at all', async () => {
    const [status, detail] = statusAndDetail(await answerTo('hello\r\n\r\n'))
    assert.equal(status, 'HTTP/1.1 400 Bad Request')
    assert.match(detail, /^The request is not valid HTTP\/1.1/)
  })
})
