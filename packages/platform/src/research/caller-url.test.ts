import assert from 'node:assert/strict'
import { judgeCallerUrl, parseAllowedHost } from './caller-url.ts'

const ALLOWED = ['graph.example.org', '*.subgraphs.example.com', 'xn--bcher-kva.example.org']
const refusal = (url: string, allowed: readonly string[] = ALLOWED): string => {
  const judged = judgeCallerUrl(url, allowed)
  return judged.ok ? `accepted ${judged.url.href}` : judged.why
}

describe('addresses that callers name', () => {
  it('are accepted with https and a listed host', () => {
    for (const [url, href = url] of [
      ['https://graph.example.org/subgraphs/name/x?y=1'],
      ['https://GRAPH.example.org:443/a', 'https://graph.example.org/a'],
      ['https://graph.example.org/a#b', 'https://graph.example.org/a'],
      ['https://one.subgraphs.example.com/'],
      ['https://a.b.subgraphs.example.com/'],
      ['https://bücher.example.org/', 'https://xn--bcher-kva.example.org/'],
    ] as const)
      assert.equal(refusal(url), `accepted ${href}`)
  })

  it('are refused for their scheme, port, or credentials', () => {
    for (const [url, why] of [
      ['http://graph.example.org/', /expected https, got http/],
      ['file:///etc/passwd', /expected https, got file/],
      ['ftp://graph.example.org/', /expected https/],
      ['javascript:alert(1)', /expected https/],
      ['data:application/json,{}', /expected https/],
      ['https://graph.example.org:8443/', /usual port/],
      ['https://graph.example.org:22/', /usual port/],
      ['https://user@graph.example.org/', /user name or password/],
      ['https://user:pass@graph.example.org/', /user name or password/],
      ['https://@graph.example.org/', /user name or password/],
      ['https://graph.example.org:443@127.0.0.1/', /user name or password/],
      ['https://127.0.0.1\\@graph.example.org/', /expected a URL/],
      ['https://graph.example.org\\@127.0.0.1/', /expected a URL/],
      ['https://graph.exam\tple.org/', /expected a URL/],
      [' https://graph.example.org/', /expected a URL/],
      ['https://graph.example.org/\u0000', /expected a URL/],
      ['graph.example.org', /expected a URL/],
      ['', /expected a URL/],
    ] as const)
      assert.match(refusal(url), why, url)
  })

  it('are refused when the host is an IP address in any form, or a local name', () => {
    const all = [...ALLOWED, '127.0.0.1', 'localhost', '0.0.0.0', '[::1]', '169.254.169.254']
    for (const host of [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0x7f.0.0.1',
      '0177.0.0.1',
      '017700000001',
      '127.0.0.1.',
      '0.0.0.0',
      '0',
      '169.254.169.254',
      '100.64.0.1',
      '10.0.0.1',
      '192.168.1.1',
      '8.8.8.8',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[2002:7f00:1::]',
      '[64:ff9b::7f00:1]',
      '[fe80::1]',
      '[fd00::1]',
      '[2606:4700::1111]',
      '１２７.０.０.１',
      '①②⑦.⓪.⓪.①',
      'localhost',
      'localhost.',
      'LOCALHOST',
      'intranet',
      'graph.example.org.',
    ])
      assert.match(refusal(`https://${host}/`, all), /IP address|full name|expected a URL/, host)
  })

  it('are refused when the host only resembles one of the list', () => {
    for (const host of [
      'example.org',
      'evil.org',
      'graph.example.org.evil.org',
      'notgraph.example.org',
      'x.graph.example.org',
      'graph-example.org',
      'subgraphs.example.com',
      'evilsubgraphs.example.com',
      'grаph.example.org',
      'xn--grph-7ve.example.org',
    ])
      assert.match(refusal(`https://${host}/`), /is not among the hosts that may be named/, host)
    assert.match(refusal('https://graph.example.org/', []), /callers may name none here/)
  })

  it('have a strictly parsed list of hosts', () => {
    for (const [text, host] of [
      ['graph.example.org', 'graph.example.org'],
      [' GRAPH.Example.org ', 'graph.example.org'],
      ['*.example.org', '*.example.org'],
      ['bücher.example', 'xn--bcher-kva.example'],
      ['*', null],
      ['*.org', null],
      ['*.*.org', null],
      ['localhost', null],
      ['127.0.0.1', null],
      ['0x7f.1', null],
      ['[::1]', null],
      ['graph.example.org:443', null],
      ['https://graph.example.org', null],
      ['graph.example.org/path', null],
      ['user@graph.example.org', null],
      ['graph.example.org.', null],
      ['-a.example.org', null],
      ['', null],
    ] as const)
      assert.equal(parseAllowedHost(text), host, text)
  })
})
