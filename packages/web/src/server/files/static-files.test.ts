import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { CaptchaProvider } from '../../shared/config-document.ts'
import { rawGet, SCRIPT, WebWorld } from '../web-world.test-support.ts'
import { loadStaticFiles } from './static-files.ts'

describe('the files of the pages', () => {
  let world: WebWorld
  beforeEach(async () => {
    world = await WebWorld.open()
  })
  afterEach(() => world.close())

  it('serves hashed files for a year and everything else only after asking again', async () => {
    const web = await world.start()
    const script = await fetch(`${web.url}/assets/app-12345678.js`)
    assert.equal(await script.text(), SCRIPT)
    assert.equal(script.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(script.headers.get('content-encoding'), 'gzip')
    const page = await fetch(web.url)
    assert.equal(page.headers.get('cache-control'), 'no-cache')
    const again = await fetch(web.url, { headers: { 'if-none-match': page.headers.get('etag') as string } })
    assert.equal(again.status, 304)
  })

  it('sends plain bytes to a client without gzip', async () => {
    const web = await world.start()
    const answer = await fetch(`${web.url}/assets/app-12345678.js`, { headers: { 'accept-encoding': 'gzip;q=0' } })
    assert.equal(answer.headers.get('content-encoding'), null)
    assert.equal(await answer.text(), SCRIPT)
  })

  it('answers paths of pages with the first page, and unknown pages and missing files with 404', async () => {
    const web = await world.start()
    const address = `0x${'ab'.repeat(20)}`
    for (const [path, status] of [
      ['/', 200],
      ['/explorer', 200],
      ['/block/12', 200],
      [`/address/${address}?tab=tokens`, 200],
      [`/token/${address}`, 200],
      ['/chat', 200],
      ['/nonsense', 404],
      ['/block/latest', 404],
      ['/address/0xab', 404],
      ['/explorer/more', 404],
      ['/block/12/', 404],
    ] as const) {
      const answer = await fetch(web.url + path)
      assert.equal(answer.status, status, path)
      assert.match(await answer.text(), /<title>pages/, path)
      const again = await fetch(web.url + path, { headers: { 'if-none-match': answer.headers.get('etag') as string } })
      assert.equal(again.status, status === 200 ? 304 : 404, path)
    }
    assert.equal((await fetch(`${web.url}/assets/gone.js`)).status, 404)
    assert.equal((await fetch(`${web.url}/block/12`, { method: 'DELETE' })).status, 405)
  })

  it('allows a page to load from its own server only, and nobody to frame it', async () => {
    const { headers } = await fetch((await world.start()).url)
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /script-src 'self'(;|$)/)
    assert.match(policy, /connect-src 'self'(;|$)/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe|https?:/)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
  })

  it('allows a page to load a captcha from its provider, and from no other host', async () => {
    const policyOf = async (provider: CaptchaProvider) => {
      const { headers } = await fetch((await world.start({}, { captcha: { provider, siteKey: 'key' } })).url)
      return headers.get('content-security-policy') ?? ''
    }
    const turnstile = await policyOf('turnstile')
    assert.match(turnstile, /script-src 'self' https:\/\/challenges\.cloudflare\.com;/)
    assert.match(turnstile, /frame-src https:\/\/challenges\.cloudflare\.com;/)
    assert.match(turnstile, /connect-src 'self';/)
    const hcaptcha = await policyOf('hcaptcha')
    for (const directive of ["script-src 'self'", "style-src 'self'", "connect-src 'self'", 'frame-src'])
      assert.ok(hcaptcha.includes(`${directive} https://hcaptcha.com https://*.hcaptcha.com;`), directive)
    for (const policy of [turnstile, hcaptcha]) assert.doesNotMatch(policy, /unsafe/)
  })

  it('never serves a file outside its folder or of an unknown kind', async () => {
    const web = await world.start()
    for (const path of [
      '/../package.json',
      '/..%2fpackage.json',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/notes.secret',
      '//etc/passwd',
      '/assets/../notes.secret',
    ]) {
      const answer = await rawGet(web, path)
      assert.doesNotMatch(answer, /not for the public|root:|"name"/, path)
    }
  })

  it('says what to do when the pages are not built', () => {
    assert.throws(() => loadStaticFiles(join(world.folder, 'assets')), { code: 'web/files', message: /npm run build/ })
    assert.throws(() => loadStaticFiles(join(world.folder, 'gone')), { code: 'web/files', message: /npm run build/ })
  })
})
