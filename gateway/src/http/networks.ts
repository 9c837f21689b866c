import { BlockList, isIP } from 'node:net'

/** An address, or all addresses that begin with the same bits. */
interface Network {
  readonly family: 'ipv4' | 'ipv6'
  /** The first address, as short as possible. */
  readonly address: string
  readonly bits: number
}

const SIZES = {
  ipv4: { groups: 4, groupBits: 8 },
  ipv6: { groups: 8, groupBits: 16 },
} as const
const MAPPED_BITS = 96

/**
 * Reads an address or a network such as `203.0.113.0/24`. Bits behind the prefix are cleared. An
 * IPv4 address that is written as IPv6 (RFC 4291, 2.5.5.2) is IPv4. An address with a zone
 * (`fe80::1%eth0`) is none: the zone has a meaning on one machine only.
 * @returns undefined when the text is none
 */
export function readNetwork(text: string): Network | undefined {
  const [, address = '', prefix] = /^([0-9a-fA-F:.]+)(?:\/([0-9]{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  if (version === 0) return undefined
  const groups = version === 4 ? address.split('.').map(Number) : groupsOf(address)
  const length = version === 4 ? 32 : 128
  const bits = prefix === undefined ? length : Number(prefix)
  if (bits > length) return undefined
  if (version === 4) return networkOf('ipv4', groups, bits)
  if (!isMapped(groups)) return networkOf('ipv6', groups, bits)
  return bits < MAPPED_BITS ? undefined : networkOf('ipv4', mappedBytes(groups), bits - MAPPED_BITS)
}

/** A network in its only spelling: `203.0.113.0/24`, and a single address without its prefix. */
export function toNetworkText({ family, address, bits }: Network): string {
  const { groups, groupBits } = SIZES[family]
  return bits === groups * groupBits ? address : `${address}/${bits}`
}

/** Whether every address of a network is in another one, both as `toNetworkText` writes them. */
export function isNetworkWithin(inner: string, outer: string): boolean {
  const around = readNetwork(outer)
  const network = readNetwork(inner)
  if (around === undefined || network?.family !== around.family) return false
  if (network.bits < around.bits) return false
  return readNetwork(`${network.address}/${around.bits}`)?.address === around.address
}

/** The names that TRUST_PROXY may have, and what they mean, as in @fastify/proxy-addr. */
export const NAMED_NETWORKS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** Networks in which some have names. */
export function namedNetworks(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => NAMED_NETWORKS[name] ?? [name])
}

/** One set of networks for each family: Node would find any IPv4 address in `::/0`. */
type Lists = Readonly<Record<Network['family'], BlockList>>
const compiled = new WeakMap<readonly string[], Lists>()

/**
 * Whether an address is in one of the networks. They are compiled once for each array, which must
 * not change. An IPv4 address is the same one when it is written as IPv6.
 * @param networks as `toNetworkText` writes them
 */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  const lists = compiled.get(networks) ?? compile(networks)
  // A zone says on which link of this machine an address is; a network has none.
  const plain = address.replace(/^::ffff:(?=[0-9.]+$)|%.*$/i, '')
  const version = isIP(plain)
  if (version === 4) return lists.ipv4.check(plain, 'ipv4')
  if (version === 0) return false
  const ipv4 = /ffff/i.test(plain) ? readNetwork(plain) : undefined
  if (ipv4?.family === 'ipv4') return lists.ipv4.check(ipv4.address, 'ipv4')
  return lists.ipv6.check(plain, 'ipv6')
}

/** Node's BlockList is a set of networks; here they are the allowed ones. */
function compile(networks: readonly string[]): Lists {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const text of networks) {
    const network = readNetwork(text)
    if (network !== undefined)
      lists[network.family].addSubnet(network.address, network.bits, network.family)
  }
  compiled.set(networks, lists)
  return lists
}

function networkOf(family: Network['family'], groups: readonly number[], bits: number): Network {
  const { groupBits } = SIZES[family]
  const first = groups.map((group, i) => {
    const cleared = groupBits - Math.min(Math.max(bits - i * groupBits, 0), groupBits)
    return (group >> cleared) << cleared
  })
  if (family === 'ipv4') return { family, address: first.join('.'), bits }
  return { family, address: shortest(first.map((group) => group.toString(16)).join(':')), bits }
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = shortest(address).split('::')
  const numbers = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const [left, right] = [numbers(head), numbers(tail ?? '')]
  const zeros = SIZES.ipv6.groups - left.length - right.length
  return [...left, ...Array.from({ length: zeros }, () => 0), ...right]
}

/** An IPv6 address as RFC 5952 writes it, without dots. The URL standard has the same form. */
function shortest(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}

function isMapped(groups: readonly number[]): boolean {
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
}

function mappedBytes(groups: readonly number[]): number[] {
  return groups.slice(6).flatMap((group) => [group >> 8, group & 0xff])
}
