import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

export interface EtcdMember {
  readonly endpoint: string
  readonly process: ChildProcess
  /** Kills it; its data stays. */
  kill(): Promise<void>
}

export interface EtcdMemberOptions {
  readonly name: string
  readonly folder: string
  readonly clientPort: number
  readonly peerPort: number
  /** Peer URLs of all members by name; default: this member alone. */
  readonly cluster?: Readonly<Record<string, string>>
  readonly flags?: readonly string[]
}

const local = (port: number) => `http://127.0.0.1:${port}`

export function startEtcdMember({ name, folder, clientPort, peerPort, cluster, flags = [] }: EtcdMemberOptions): EtcdMember {
  const members = Object.entries(cluster ?? { [name]: local(peerPort) }).map(([each, url]) => `${each}=${url}`)
  const child = spawn(
    'etcd',
    [
      ...['--name', name, '--data-dir', folder, '--log-level', 'error'],
      ...['--listen-client-urls', local(clientPort), '--advertise-client-urls', local(clientPort)],
      ...['--listen-peer-urls', local(peerPort), '--initial-advertise-peer-urls', cluster?.[name] ?? local(peerPort)],
      ...['--initial-cluster', members.join(',')],
      ...flags,
    ],
    { stdio: 'ignore' },
  )
  return {
    endpoint: local(clientPort),
    process: child,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
