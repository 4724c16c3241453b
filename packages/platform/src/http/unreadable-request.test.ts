import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { MAX_HEAD_BYTES, refuseUnreadable } from './unreadable-request.ts'

async function answerTo(text: string): Promise<string> {
  const server = createServer({ maxHeaderSize: MAX_HEAD_BYTES }, (_request, response) => response.end('reached'))
  server.on('clientError', refuseUnreadable)
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
      'The address and headers of the request are longer than 16384 bytes together',
    ])
  })

  it('is answered with 400 when it is not HTTP at all', async () => {
    assert.deepEqual(statusAndDetail(await answerTo('hello\r\n\r\n')), ['HTTP/1.1 400 Bad Request', 'The request is not valid HTTP/1.1'])
  })
})
