/** Preflights of browsers, on every port that pages may call. Fetch Standard, "CORS-preflight fetch". */
import assert from 'node:assert/strict'

export const PAGE_ORIGIN = 'https://page.example'

/** `url` takes requests of PAGE_ORIGIN. */
export function describeCorsPort(name: string, open: () => string): void {
  describe(`${name}, preflights`, () => {
    const preflight = (asked: string | null, origin = PAGE_ORIGIN, method = 'POST') =>
      fetch(open(), {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': method,
          ...(asked === null ? {} : { 'access-control-request-headers': asked }),
        },
      })
    const namesIn = (response: Response, header: string) =>
      (response.headers.get(header) ?? '')
        .toLowerCase()
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== '')

    for (const asked of [
      'content-type',
      'x-metamask-origin',
      'content-type,x-metamask-origin,solana-client',
      'Authorization, X-Custom-1, traceparent',
      Array.from({ length: 60 }, (_, i) => `x-${i}`).join(','),
    ])
      it(`allow the headers that they ask for: ${asked.slice(0, 50)}`, async () => {
        const response = await preflight(asked)
        assert.ok(response.ok)
        assert.equal(response.headers.get('access-control-allow-origin'), PAGE_ORIGIN)
        const allowed = namesIn(response, 'access-control-allow-headers')
        for (const each of asked.toLowerCase().split(',')) assert.ok(allowed.includes(each.trim()), each)
        // A cache must not give this answer to another page, or for other headers.
        const vary = namesIn(response, 'vary')
        assert.ok(vary.includes('origin') && vary.includes('access-control-request-headers'), vary.join())
      })

    it('do not repeat a list that is too long or that has something else than names', async () => {
      for (const asked of [Array.from({ length: 65 }, (_, i) => `x-${i}`).join(','), `x-${'a'.repeat(200)}`, 'x-a b', 'x-a: 1, x-b']) {
        const allowed = namesIn(await preflight(asked), 'access-control-allow-headers')
        assert.ok(allowed.length < 20 && !allowed.some((each) => each.startsWith('x-a') || each === 'x-64'), allowed.join())
      }
    })

    it('of other pages are allowed nothing', async () => {
      for (const origin of ['https://other.example', 'http://page.example', 'https://page.example:8443', 'null']) {
        const { headers } = await preflight('x-metamask-origin', origin)
        assert.equal(headers.get('access-control-allow-origin'), null)
        assert.equal(headers.get('access-control-allow-headers'), null)
      }
    })

    it('without a list of headers are allowed the usual ones', async () => {
      const response = await preflight(null)
      assert.equal(response.headers.get('access-control-allow-origin'), PAGE_ORIGIN)
      assert.ok(namesIn(response, 'access-control-allow-methods').length > 0)
    })
  })
}
