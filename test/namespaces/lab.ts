/** Network namespaces: a hub with a bridge, and one per node, whose link loses packets, has a rate, or is cut from other nodes. */
import { execFileSync } from 'node:child_process'
import { getuid, platform } from 'node:process'

/** First of the ports of a client, each in a namespace of its own. */
export const FIRST_PORT = 8_700
export const P2P_PORT = FIRST_PORT + 4
const SUBNET = '10.203.7'
const FIRST_RELAY_PORT = 20_000

export const hubAddress = `${SUBNET}.254`
export const nodeAddress = (node: number) => `${SUBNET}.${node}`
/** Source address of the connections that `node` dials, as others see them. */
export const dialerAddress = (node: number) => `${SUBNET}.${100 + node}`
/** Port of the hub that forwards connections of `from` to `to`. */
export const relayPort = (from: number, to: number) => FIRST_RELAY_PORT + 10 * from + to

export interface LinkShape {
  /** Share of lost packets of the execution network, in each direction of each link. */
  readonly lossPercent: number
  /** In each direction of each link. */
  readonly rateKbit: number
}

function command(args: readonly string[], input = ''): void {
  execFileSync(args[0] as string, args.slice(1), { input, stdio: ['pipe', 'ignore', 'pipe'] })
}

/** Why this machine cannot have namespaces; null if it can. */
export function missingForLab(): string | null {
  if (platform !== 'linux') return 'network namespaces need Linux'
  if (getuid?.() !== 0) return 'network namespaces need root'
  for (const [program, flag] of [
    ['ip', '-V'],
    ['tc', '-V'],
    ['iptables-restore', '-V'],
  ] as const) {
    try {
      command([program, flag])
    } catch {
      return `no ${program} on the PATH (Debian: apt-get install iproute2 iptables)`
    }
  }
  return null
}

export class Lab {
  readonly nodes: readonly number[]
  readonly #name: string

  constructor(name: string, count: number) {
    this.#name = name
    this.nodes = Array.from({ length: count }, (_, i) => i + 1)
  }

  get hub(): string {
    return `${this.#name}-hub`
  }

  namespace(node: number): string {
    return `${this.#name}-${node}`
  }

  /** Throws when the kernel lacks something; `close` removes what was made. */
  open(): void {
    const { hub } = this
    command(['ip', 'netns', 'add', hub])
    run(hub, 'ip link set lo up')
    run(hub, 'ip link add bridge type bridge')
    for (const address of [hubAddress, ...this.nodes.map(dialerAddress)]) run(hub, `ip address add ${address}/24 dev bridge`)
    run(hub, 'ip link set bridge up')
    for (const node of this.nodes) {
      const own = this.namespace(node)
      command(['ip', 'netns', 'add', own])
      run(hub, `ip link add name node${node} type veth peer name link netns ${own}`)
      run(hub, `ip link set node${node} master bridge up`)
      run(own, 'ip link set lo up')
      run(own, `ip address add ${nodeAddress(node)}/24 dev link`)
      run(own, 'ip link set dev link up')
    }
  }

  /** Replaces shapes and cuts. Nodes of different `groups` do not reach each other; an empty list cuts nothing. */
  shape({ lossPercent, rateKbit }: LinkShape, groups: readonly (readonly number[])[] = []): void {
    const groupOf = (node: number) => groups.findIndex((group) => group.includes(node))
    const isCut = (one: number, other: number) => groupOf(one) !== groupOf(other)
    const pairs = this.nodes.flatMap((from) => this.nodes.filter((to) => isCut(from, to)).map((to) => ({ from, to })))
    const loss = ` -m statistic --mode random --probability ${lossPercent / 100}`
    const relays = `${FIRST_RELAY_PORT}:${FIRST_RELAY_PORT + 999}`
    // Only what arrives is dropped: a sender notices a drop in its own output.
    drop(this.hub, [
      ...pairs.map(({ from, to }) => `-s ${nodeAddress(from)} --dport ${relayPort(from, to)}`),
      ...pairs.map(({ from, to }) => `-s ${nodeAddress(to)} -d ${dialerAddress(from)} --sport ${P2P_PORT}`),
      `--dport ${relays}${loss}`,
      `--sport ${P2P_PORT}${loss}`,
    ])
    for (const node of this.nodes) {
      drop(this.namespace(node), [
        ...pairs.filter(({ from }) => from === node).map(({ to }) => `--sport ${relayPort(node, to)}`),
        ...pairs.filter(({ to }) => to === node).map(({ from }) => `-s ${dialerAddress(from)} --dport ${P2P_PORT}`),
        `--sport ${relays}${loss}`,
        `--dport ${P2P_PORT}${loss}`,
      ])
      for (const [where, device] of [
        [this.hub, `node${node}`],
        [this.namespace(node), 'link'],
      ] as const)
        run(where, `tc qdisc replace dev ${device} root tbf rate ${rateKbit}kbit burst 32kbit latency 400ms`)
    }
  }

  /** Removes the namespaces, and with them links and rules. */
  close(): void {
    for (const name of [...this.nodes.map((node) => this.namespace(node)), this.hub]) {
      try {
        command(['ip', 'netns', 'del', name])
      } catch {
        // `open` did not get that far.
      }
    }
  }
}

function run(namespace: string, line: string, input = ''): void {
  command(['ip', 'netns', 'exec', namespace, ...line.split(' ')], input)
}

function drop(namespace: string, matches: readonly string[]): void {
  const rules = matches.map((match) => `-A INPUT -p tcp ${match} -j DROP`)
  run(namespace, 'iptables-restore', ['*filter', ':INPUT ACCEPT [0:0]', ...rules, 'COMMIT', ''].join('\n'))
}
