import assert from 'node:assert/strict'
import { Duplex } from 'node:stream'
import { earlyErrors } from './http-errors.ts'

function answerTo(code: string): string {
  let answer = ''
  const socket = new Duplex({
    read: () => undefined,
    write(chunk, _encoding, done) {
      answer += chunk
      done()
    },
  })
  const { clientErrorHandler } = earlyErrors((mistake) => ({ mistake }))
  clientErrorHandler(Object.assign(new Error(code), { code }), socket as Parameters<typeof clientErrorHandler>[1])
  return answer
}

describe('a request that no route sees', () => {
  for (const [code, status, mistake] of [
    ['ERR_HTTP_REQUEST_TIMEOUT', 'HTTP/1.1 408 Request Timeout', 'too-slow'],
    ['HPE_HEADER_OVERFLOW', 'HTTP/1.1 431 Request Header Fields Too Large', 'too-long'],
    ['HPE_INVALID_METHOD', 'HTTP/1.1 400 Bad Request', 'not-http'],
  ] as const) {
    it(`is answered with ${status.slice(9)} after ${code}`, () => {
      const [head = '', body = ''] = answerTo(code).split('\r\n\r\n')
      assert.equal(head.split('\r\n')[0], status)
      assert.deepEqual(JSON.parse(body), { mistake })
    })
  }
})
