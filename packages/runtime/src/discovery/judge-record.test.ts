import assert from 'node:assert/strict'
import { SignableENR } from '@chainsafe/enr'
import { addressScope, reachableScopes } from '../peers/address-scope.ts'
import { judgeRecord } from './judge-record.ts'
import { createLocalRecord } from './local-record.ts'

function record(ip: string): SignableENR {
  const own = createLocalRecord({
    nodeKey: new Uint8Array(32).fill(3),
    entries: {},
    listenHost: ip,
    tcpPort: 9222,
    udpPort: 9222,
    advertiseIp: ip,
    nowMs: 1,
  })
  return SignableENR.decodeTxt(own.encodeTxt(), new Uint8Array(32).fill(3))
}

function verdict(ip: string, configured: readonly string[]): string {
  const scopes = reachableScopes(configured)
  const isReachable = (address: string) => scopes.has(addressScope(address) ?? 'unusable')
  return judgeRecord(record(ip).toENR(), { ownNodeId: '', refuses: () => null, isReachable, isInside: () => true }).verdict
}

describe('a discovered record', () => {
  it('that names a loopback, link-local or private address is not dialled', () => {
    const configured = ['0.0.0.0', '203.0.113.7']
    for (const ip of ['127.0.0.1', '169.254.169.254', '0.0.0.0', '224.0.0.1', '10.0.0.1', '192.168.1.1', '::1', 'fe80::1', 'fd00::1'])
      assert.equal(verdict(ip, configured), 'unreachable-address', ip)
    for (const ip of ['198.51.100.1', '2001:4860::1']) assert.equal(verdict(ip, configured), 'dialable', ip)
  })

  it('is dialled on a private network or on loopback when the node itself is configured for it', () => {
    assert.equal(verdict('192.168.1.1', ['192.168.1.2']), 'dialable')
    assert.equal(verdict('127.0.0.1', ['192.168.1.2']), 'unreachable-address')
    assert.equal(verdict('127.0.0.1', ['127.0.0.1']), 'dialable')
    assert.equal(verdict('169.254.169.254', ['127.0.0.1']), 'unreachable-address')
  })
})
