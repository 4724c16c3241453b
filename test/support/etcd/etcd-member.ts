import { type Restartable, restartable } from './role.ts'

export interface EtcdMemberOptions {
  readonly name: string
  readonly folder: string
  readonly clientPort: number
  readonly peerPort: number
  /** Peer ports of all members by name; default: this member alone. */
  readonly cluster?: Readonly<Record<string, number>>
  readonly flags?: readonly string[]
  /** Scheme of the client URLs. Default: http. */
  readonly scheme?: string
}

const local = (port: number) => `http://127.0.0.1:${port}`

export function etcdMember({ name, folder, clientPort, peerPort, cluster, flags = [], scheme = 'http' }: EtcdMemberOptions): Restartable {
  const clientUrl = `${scheme}://127.0.0.1:${clientPort}`
  const members = Object.entries(cluster ?? { [name]: peerPort }).map(([each, port]) => `${each}=${local(port)}`)
  return restartable('etcd', [
    ...['--name', name, '--data-dir', folder, '--log-level', 'error'],
    ...['--listen-client-urls', clientUrl, '--advertise-client-urls', clientUrl],
    ...['--listen-peer-urls', local(peerPort), '--initial-advertise-peer-urls', local(peerPort)],
    ...['--initial-cluster', members.join(',')],
    ...flags,
  ])
}
