import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSilentLogger, Secret } from '@keelson/runtime'
import { type Captcha, createCaptcha } from './captcha.ts'

describe('the captcha', () => {
  let server: Server
  let captcha: Captcha
  let open: (timeoutMs: number) => Captcha
  let answer: { status: number; body: string } | 'silence'
  let asked: URLSearchParams
  const never = new AbortController().signal

  beforeEach(async () => {
    server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        asked = new URLSearchParams(body)
        if (answer !== 'silence') response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/siteverify`
    open = (timeoutMs) => createCaptcha({ provider: 'turnstile', secret: new Secret('hush'), url, timeoutMs }, createSilentLogger())
    captcha = open(60_000)
  })
  afterEach(async () => {
    captcha.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  it('is verified with secret, response and address', async () => {
    answer = { status: 200, body: '{"success":true}' }
    assert.equal(await captcha.check('token', '192.0.2.7', never), 'passed')
    assert.deepEqual(Object.fromEntries(asked), { secret: 'hush', response: 'token', remoteip: '192.0.2.7' })
  })

  it('refuses responses that the service refuses', async () => {
    answer = { status: 200, body: '{"success":false,"error-codes":["timeout-or-duplicate"]}' }
    assert.equal(await captcha.check('token', '192.0.2.7', never), 'refused')
  })

  it('never passes while the service is unavailable', async () => {
    const answers: readonly (typeof answer)[] = [
      { status: 200, body: '{"success":false,"error-codes":["invalid-input-secret"]}' },
      { status: 500, body: '{"success":true}' },
      { status: 200, body: 'true' },
      { status: 200, body: '{"success":"true"}' },
      { status: 200, body: '<html>' },
      { status: 200, body: `{"success":true,"x":"${'x'.repeat(20_000)}"}` },
    ]
    for (const next of answers) {
      answer = next
      assert.equal(await captcha.check('token', '192.0.2.7', never), 'unavailable', JSON.stringify(next).slice(0, 80))
    }
    answer = 'silence'
    const impatient = open(200)
    assert.equal(await impatient.check('token', '192.0.2.7', never), 'unavailable', 'silence')
    impatient.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    assert.equal(await captcha.check('token', '192.0.2.7', never), 'unavailable', 'nobody listens')
  })
})
