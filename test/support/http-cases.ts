/** What RFC 9110 and RFC 9112 ask of every HTTP port, with raw sockets. A test of a port calls `describeHttpPort`. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'

export interface HttpPortUnderTest {
  readonly port: number
  /** A request that the port answers with 200. */
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

interface HttpCase {
  readonly name: string
  /** Section of the RFC that gives the expected status. */
  readonly source: string
  text(request: RequestParts): string
  /** Statuses of all answers; a list has alternatives. */
  readonly expect: readonly (number | readonly number[])[]
  /** Whether the connection can be used again. */
  readonly stays: boolean
  readonly check?: (answer: string) => void
  /** Only for requests with a body. */
  readonly withBody?: true
}

class RequestParts {
  readonly #of: HttpPortUnderTest
  constructor(of: HttpPortUnderTest) {
    this.#of = of
  }
  get path(): string {
    return this.#of.path
  }
  get body(): string {
    return this.#of.body ?? ''
  }
  line(target = this.#of.path, method: string = this.#of.method, version = '1.1'): string {
    return `${method} ${target} HTTP/${version}\r\n`
  }
  headers(host = 'Host: localhost\r\n'): string {
    return `${host}${Object.entries(this.#of.headers ?? {})
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}`
  }
  /** The length, the end of the headers and the body. */
  get rest(): string {
    return this.#of.method === 'POST' ? `Content-Length: ${Buffer.byteLength(this.body)}\r\n\r\n${this.body}` : '\r\n'
  }
  whole(more = ''): string {
    return `${this.line()}${this.headers()}${more}${this.rest}`
  }
  chunked(extension = '', trailer = '', more = ''): string {
    const size = Buffer.byteLength(this.body).toString(16)
    return `${this.line()}${this.headers()}${more}Transfer-Encoding: chunked\r\n\r\n${size}${extension}\r\n${this.body}\r\n0${extension}\r\n${trailer}\r\n`
  }
}

const hasAllow = (answer: string) => assert.match(answer, /\r\nallow: [A-Z]/i, answer)
const noBody = (answer: string) => assert.equal(answer.split('\r\n\r\n')[1], '', answer)

const CASES: readonly HttpCase[] = [
  ...(
    [
      [
        'h2c, as of Java',
        'Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\nUpgrade: h2c\r\n',
      ],
      ['TLS', 'Connection: upgrade\r\nUpgrade: TLS/1.2\r\n'],
      ['two unknown protocols', 'Connection: keep-alive, Upgrade\r\nUpgrade: foo/2, bar\r\n'],
      ['a protocol without Connection', 'Upgrade: h2c\r\n'],
      ['no protocol', 'Connection: Upgrade\r\n'],
    ] as const
  ).map(
    ([what, headers]): HttpCase => ({
      name: `an upgrade to ${what} is ignored, and the connection stays`,
      source: 'RFC 9110 section 7.8',
      text: (request) => request.whole(headers),
      expect: [200],
      stays: true,
    }),
  ),
  {
    name: 'an ignored upgrade with another request behind it loses none silently',
    source: 'RFC 9112 section 9.3.2',
    text: (request) => request.whole('Connection: Upgrade\r\nUpgrade: h2c\r\n') + request.whole(),
    expect: [200],
    stays: false,
    check: (answer) => assert.match(answer, /\r\nconnection: close\r\n/i),
  },
  {
    name: 'a query string',
    source: 'RFC 9112 section 3.2.1',
    text: (request) =>
      `${request.line(`${request.path}${request.path.includes('?') ? '&' : '?'}a=b&c`)}${request.headers()}${request.rest}`,
    expect: [[200, 422]],
    stays: true,
  },
  {
    name: 'a target in absolute form',
    source: 'RFC 9112 section 3.2.2',
    text: (request) => `${request.line(`http://localhost${request.path}`)}${request.headers('Host: wrong.example\r\n')}${request.rest}`,
    expect: [200],
    stays: true,
  },
  {
    name: 'a target in absolute form with a port',
    source: 'RFC 9112 section 3.2.2',
    text: (request) => `${request.line(`HTTP://localhost:80${request.path}`)}${request.headers()}${request.rest}`,
    expect: [200],
    stays: true,
  },
  {
    name: 'OPTIONS *',
    source: 'RFC 9110 section 9.3.7',
    text: (r) => `${r.line('*', 'OPTIONS')}${r.headers()}\r\n`,
    expect: [204],
    stays: true,
    check: hasAllow,
  },
  {
    name: 'Expect: 100-continue',
    source: 'RFC 9110 section 10.1.1',
    text: (r) => r.whole('Expect: 100-Continue\r\n'),
    expect: [100, 200],
    stays: true,
    withBody: true,
  },
  {
    name: 'an unknown expectation',
    source: 'RFC 9110 section 10.1.1',
    text: (r) => r.whole('Expect: a-pony\r\n'),
    expect: [417],
    stays: true,
  },
  { name: 'chunks', source: 'RFC 9112 section 7.1', text: (r) => r.chunked(), expect: [200], stays: true, withBody: true },
  {
    name: 'chunk extensions',
    source: 'RFC 9112 section 7.1.1',
    text: (r) => r.chunked(';a;b=c;d="e f"'),
    expect: [200],
    stays: true,
    withBody: true,
  },
  {
    name: 'trailers',
    source: 'RFC 9112 section 7.1.2',
    text: (r) => r.chunked('', 'X-Sum: 1\r\nHost: other\r\n'),
    expect: [200],
    stays: true,
    withBody: true,
  },
  { name: 'folded headers', source: 'RFC 9112 section 5.2', text: (r) => r.whole('X-A: b\r\n c\r\n'), expect: [400], stays: false },
  { name: 'a space before the colon', source: 'RFC 9112 section 5.1', text: (r) => r.whole('X-A : b\r\n'), expect: [400], stays: false },
  { name: 'two requests at once', source: 'RFC 9112 section 9.3.2', text: (r) => r.whole() + r.whole(), expect: [200, 200], stays: true },
  { name: 'an empty line before the request', source: 'RFC 9112 section 2.2', text: (r) => `\r\n${r.whole()}`, expect: [200], stays: true },
  {
    name: 'Connection with several tokens in odd case',
    source: 'RFC 9110 section 7.6.1',
    text: (r) => r.whole('Connection: X-A , cLoSe\r\n'),
    expect: [200],
    stays: false,
  },
  {
    name: 'Connection: Keep-Alive',
    source: 'RFC 9112 section 9.3',
    text: (r) => r.whole('Connection: kEEp-aLive\r\n'),
    expect: [200],
    stays: true,
  },
  {
    name: 'HTTP/1.0',
    source: 'RFC 9112 section 9.3',
    text: (r) => `${r.line(r.path, undefined, '1.0')}${r.headers('')}${r.rest}`,
    expect: [200],
    stays: false,
  },
  {
    name: 'HTTP/1.0 with Keep-Alive',
    source: 'RFC 9112 section 9.3',
    text: (r) => `${r.line(r.path, undefined, '1.0')}${r.headers('Connection: Keep-Alive\r\n')}${r.rest}`,
    expect: [200],
    stays: true,
  },
  {
    name: 'HTTP/2.0',
    source: 'RFC 9110 section 15.6.6',
    text: (r) => `${r.line(r.path, undefined, '2.0')}${r.headers()}${r.rest}`,
    expect: [505],
    stays: false,
  },
  {
    name: 'the preface of HTTP/2',
    source: 'RFC 9113 section 3.4',
    text: () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    expect: [505],
    stays: false,
  },
  { name: 'no Host', source: 'RFC 9112 section 3.2', text: (r) => `${r.line()}${r.headers('')}${r.rest}`, expect: [400], stays: false },
  ...['rebound.example', 'rebound.example:8545', 'localhost.example', '127.0.0.1.example', '1.2.3.4.nip.example', 'local.co'].map(
    (host): HttpCase => ({
      name: `the host name ${host}, which a page of another site may have made point here (DNS rebinding)`,
      source: 'RFC 9110 section 7.4 and 15.5.4',
      text: (r) => `${r.line()}${r.headers(`Host: ${host}\r\n`)}Connection: close\r\n${r.rest}`,
      expect: [[403]],
      stays: false,
    }),
  ),
  { name: 'two Hosts', source: 'RFC 9112 section 3.2', text: (r) => r.whole('Host: localhost\r\n'), expect: [400], stays: false },
  {
    name: 'a Host with a path',
    source: 'RFC 9112 section 3.2',
    text: (r) => `${r.line()}${r.headers('Host: localhost/a\r\n')}${r.rest}`,
    expect: [400],
    stays: false,
  },
  {
    name: 'an address with a port as Host',
    source: 'RFC 9110 section 7.2',
    text: (r) => `${r.line()}${r.headers('Host: [::1]:80\r\n')}${r.rest}`,
    expect: [200],
    stays: true,
  },
  {
    name: 'Content-Length and Transfer-Encoding',
    source: 'RFC 9112 section 6.1',
    text: (r) => r.chunked('', '', 'Content-Length: 3\r\n'),
    expect: [400],
    stays: false,
  },
  {
    name: 'two lengths that differ',
    source: 'RFC 9112 section 6.3',
    text: (r) => r.whole('Content-Length: 1\r\n'),
    expect: [400],
    stays: false,
    withBody: true,
  },
  {
    name: 'a length that is no number',
    source: 'RFC 9112 section 6.3',
    text: (r) => `${r.line()}${r.headers()}Content-Length: +1\r\n\r\n1`,
    expect: [400],
    stays: false,
  },
  ...['gzip, chunked', 'foo, chunked', 'foo', 'identity'].map(
    (coding): HttpCase => ({
      name: `the transfer coding ${coding}`,
      source: 'RFC 9112 section 6.1',
      text: (r) => `${r.line()}${r.headers()}Transfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`,
      expect: [501],
      stays: false,
    }),
  ),
  {
    name: 'the transfer coding CHUNKED',
    source: 'RFC 9112 section 7',
    text: (r) => r.chunked().replace('chunked', 'CHUNKED'),
    expect: [200],
    stays: true,
    withBody: true,
  },
  {
    name: 'a body in a coding that the port does not read',
    source: 'RFC 9110 section 8.4',
    text: (r) => r.whole('Content-Encoding: gzip\r\n'),
    expect: [415],
    stays: false,
    withBody: true,
  },
  {
    name: 'the coding identity',
    source: 'RFC 9110 section 8.4',
    text: (r) => r.whole('Content-Encoding: identity\r\n'),
    expect: [200],
    stays: true,
    withBody: true,
  },
  ...['QUERY', 'PROPFIND', 'FOO', 'get', 'CONNECT'].map(
    (method): HttpCase => ({
      name: `the method ${method}`,
      source: 'RFC 9110 section 15.5.6',
      text: (r) => `${r.line(method === 'CONNECT' ? 'localhost:1' : undefined, method)}${r.headers()}\r\n`,
      expect: [405],
      stays: false,
      check: hasAllow,
    }),
  ),
  {
    name: 'a method that the target does not have',
    source: 'RFC 9110 section 15.5.6',
    text: (r) => `${r.line(undefined, 'DELETE')}${r.headers()}\r\n`,
    expect: [405],
    stays: true,
    check: hasAllow,
  },
  {
    name: 'bytes that are no HTTP',
    source: 'RFC 9112 section 2.2',
    text: () => '\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03\r\n\r\n',
    expect: [400],
    stays: false,
  },
  { name: 'NUL in a header', source: 'RFC 9110 section 5.5', text: (r) => r.whole('X-A: a\0b\r\n'), expect: [400], stays: false },
  {
    name: 'a header of 20,000 bytes',
    source: 'RFC 6585 section 5',
    text: (r) => r.whole(`X-A: ${'a'.repeat(20_000)}\r\n`),
    expect: [431],
    stays: false,
  },
]

/** A server that keeps the connection answers this, too, and closes it. */
const END = '\r\nGET /a-path-for-the-end HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'

export function describeHttpPort(name: string, kind: 'reads' | 'takes bodies', open: () => HttpPortUnderTest): void {
  describe(`${name}, any HTTP client`, () => {
    for (const each of CASES) {
      if (each.withBody === true && kind === 'reads') continue
      it(`${each.name}: ${each.expect.flat().join(' or ')} (${each.source})`, async () => {
        const port = open()
        const answer = await exchange(port.port, each.text(new RequestParts(port)))
        const shown = answer.slice(0, 2_000)
        const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
        // The last answer is that of the request that ends the connection.
        assert.equal(statuses.length, each.expect.length + (each.stays ? 1 : 0), shown)
        for (const [i, expected] of each.expect.entries()) assert.ok([expected].flat().includes(statuses[i] as number), shown)
        each.check?.(answer)
      })
    }

    it('HEAD is answered as GET, without a body (RFC 9110 section 9.3.2)', async () => {
      const port = open()
      const target = port.method === 'GET' ? port.path : '/'
      const headers = Object.entries(port.headers ?? {}).map(([key, value]) => `${key}: ${value}\r\n`)
      const ask = (method: string) =>
        exchange(port.port, `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers.join('')}\r\n`)
      const [get, head] = [await ask('GET'), await ask('HEAD')]
      const statusOf = (answer: string) => answer.slice(0, 12)
      assert.equal(statusOf(head), statusOf(get))
      noBody(head)
    })
  })
}

async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1')
  })
  socket.on('error', () => undefined)
  const closed = once(socket, 'close')
  socket.write(text)
  await firstAnswer(socket)
  if (socket.writable) socket.write(END)
  await closed
  return answer
}

function firstAnswer(socket: ReturnType<typeof connect>): Promise<unknown> {
  return Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => undefined)
}
