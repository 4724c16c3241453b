import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { closeServer, makeNetwork, openServer, openSurroundings } from './faults.test-support.ts'
import { renderFinding } from './render-finding.ts'

describe('doctor on the peers of the execution client', () => {
  it('warns that it has a network and no peers', async () => {
    const network = await makeNetwork()
    const world = await openSurroundings(network)
    const answers: Record<string, unknown> = {}
    const client = await openServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { method } = JSON.parse(Buffer.concat(chunks).toString()) as { method: string }
        const result = answers[method]
        const body = result === undefined ? { error: { code: -32601, message: 'method not found' } } : { result }
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }))
      })
    })
    world.settings = { ...world.settings, httpRpc: client.url }
    const line = async () => {
      const findings = (await world.examine()).filter(({ check }) => check === 'execution peers')
      return findings.map((finding) => `${finding.status} ${renderFinding(finding)}`).join()
    }
    assert.match(await line(), /^skip .*no execution client runs/)
    Object.assign(answers, { net_listening: false, net_peerCount: '0x0' })
    assert.match(await line(), /^skip .*--p2p\.enabled/)
    answers.net_listening = true
    assert.match(await line(), /^warn .*has no peers.*--p2p\.bootnodes/)
    answers.net_peerCount = '0x2'
    assert.match(await line(), /^ok .*has 2 peers/)
    await closeServer(client.server)
    await world.close()
    rmSync(network, { recursive: true })
  })
})
