import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DevnetProcess } from './devnet-process.ts'

const BINARY = join(import.meta.dirname, '..', '..', 'dist', 'keelson.js')

export interface FollowerProcess {
  readonly rpcUrl: string
  readonly rollupRpcUrl: string
  readonly executionDir: string
  readonly output: readonly string[]
  stop(): Promise<void>
  remove(): Promise<void>
}

export function startFollower(devnet: DevnetProcess, basePort: number): FollowerProcess {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-follower-'))
  const network = join(devnet.folder, 'network')
  const jwt = join(folder, 'jwt.hex')
  const output: string[] = []
  const start = (...args: string[]): ChildProcess => {
    const child = spawn(process.execPath, [BINARY, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output.push(text)
        if (output.length > 500) output.shift()
      })
    }
    return child
  }
  const execution = start(
    ...['execution', '--data-dir', join(folder, 'execution'), '--network', network, '--jwt-secret', jwt],
    ...['--http.port', String(basePort), '--ws.port', String(basePort + 1), '--engine.port', String(basePort + 2)],
    ...['--metrics.port', String(basePort + 3), '--rollup.rpc', `http://127.0.0.1:${basePort + 4}`],
    ...['--rpc.trusted', '127.0.0.1', '--http.api', 'eth,net,web3,debug,txpool,rollup,optimism'],
  )
  const consensus = start(
    ...['consensus', '--data-dir', join(folder, 'consensus'), '--network', network, '--jwt-secret', jwt],
    ...['--l1.rpc', devnet.facts.l1.rpcUrl, '--l1.beacon', devnet.facts.l1.beaconUrl, '--no-p2p.enabled'],
    ...['--engine.url', `http://127.0.0.1:${basePort + 2}`, '--rpc.port', String(basePort + 4), '--metrics.port', String(basePort + 5)],
  )
  const stop = async (child: ChildProcess) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await gone
  }
  const stopBoth = async () => {
    await Promise.all([stop(consensus), stop(execution)])
  }
  return {
    rpcUrl: `http://127.0.0.1:${basePort}`,
    rollupRpcUrl: `http://127.0.0.1:${basePort + 4}`,
    executionDir: join(folder, 'execution'),
    output,
    stop: stopBoth,
    async remove() {
      await stopBoth()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
