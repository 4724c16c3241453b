import { type Restartable, restartable } from './role.ts'

export interface EtcdMemberOptions {
  readonly name: string
  readonly folder: string
  readonly clientPort: number
  readonly peerPort: number
  /** Where the other members reach this one. Default: at `peerPort`. */
  readonly peerDoor?: number
  /** Ports of all members by name, at which the others reach them; default: this member alone. */
  readonly cluster?: Readonly<Record<string, number>>
  readonly flags?: readonly string[]
  /** Scheme of the client URLs. Default: http. */
  readonly scheme?: string
}

const local = (port: number) => `http://127.0.0.1:${port}`

export function etcdMember(options: EtcdMemberOptions): Restartable {
  const { name, folder, clientPort, peerPort, peerDoor = peerPort, cluster, flags = [], scheme = 'http' } = options
  const clientUrl = `${scheme}://127.0.0.1:${clientPort}`
  const members = Object.entries(cluster ?? { [name]: peerDoor }).map(([each, port]) => `${each}=${local(port)}`)
  return restartable('etcd', [
    ...['--name', name, '--data-dir', folder, '--log-level', 'error'],
    ...['--listen-client-urls', clientUrl, '--advertise-client-urls', clientUrl],
    ...['--listen-peer-urls', local(peerPort), '--initial-advertise-peer-urls', local(peerDoor)],
    ...['--initial-cluster', members.join(',')],
    ...flags,
  ])
}
