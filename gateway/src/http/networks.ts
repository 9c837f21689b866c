import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An address, or all addresses that begin with the same bits. */
type Network = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

/** The bits before an IPv4 address that is written as IPv6 (RFC 4291, 2.5.5.2). */
const MAPPED_BITS = 96

/**
 * Reads an address or a network such as `203.0.113.0/24`. An IPv4 address that is written as IPv6
 * is IPv4. An address with a zone (`fe80::1%eth0`) is not read as one: the zone has a meaning on
 * one machine only.
 * @returns undefined when the text is none
 */
export function readNetwork(text: string): Network | undefined {
  const [, address = '', prefix] = /^([0-9a-fA-F:.]+)(?:\/([0-9]{1,3}))?$/.exec(text) ?? []
  // The library also reads other forms of IPv4: octal, and with fewer than four numbers.
  const version = isIP(address)
  if (version === 0) return undefined
  const length = version === 4 ? 32 : 128
  const bits = prefix === undefined ? length : Number(prefix)
  if (bits > length) return undefined
  // The library takes `::203.0.113.7`, which is no mapped address, for one.
  const parsed = ipaddr.parse(address.replace(/^::(?=\d+\.)/, '0::'))
  if (!(parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress())) return [parsed, bits]
  return bits < MAPPED_BITS ? undefined : [parsed.toIPv4Address(), bits - MAPPED_BITS]
}

/**
 * A network in its only spelling: `203.0.113.0/24`, and a single address without its prefix. The
 * bits behind the prefix are 0.
 */
export function toNetworkText([address, bits]: Network): string {
  const [family, length] = address.kind() === 'ipv4' ? [ipaddr.IPv4, 32] : [ipaddr.IPv6, 128]
  if (bits === length) return address.toString()
  return `${family.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`
}

/** Whether every address of a network is in another one. */
export function isNetworkWithin(inner: string, outer: string): boolean {
  const [first, firstBits = 0] = readNetwork(outer) ?? []
  const [address, bits = 0] = readNetwork(inner) ?? []
  if (first === undefined || address?.kind() !== first.kind()) return false
  return bits >= firstBits && address.match(first, firstBits)
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
type Lists = Readonly<Record<'ipv4' | 'ipv6', BlockList>>
const compiled = new WeakMap<readonly string[], Lists>()

/**
 * Whether an address is in one of the networks. They are compiled once for each array, which must
 * not change. An IPv4 address is the same one when it is written as IPv6. Node's BlockList is a set
 * of networks, and several times as fast as the library; here they are the allowed ones.
 */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  const lists = compiled.get(networks) ?? compile(networks)
  // A zone says on which link of this machine an address is; a network has none.
  const plain = address.replace(/^::ffff:(?=[0-9.]+$)|%.*$/i, '')
  const version = isIP(plain)
  if (version === 4) return lists.ipv4.check(plain, 'ipv4')
  if (version === 0) return false
  const [found] = (/ffff/i.test(plain) ? readNetwork(plain) : undefined) ?? []
  if (found?.kind() === 'ipv4') return lists.ipv4.check(found.toString(), 'ipv4')
  return lists.ipv6.check(plain, 'ipv6')
}

function compile(networks: readonly string[]): Lists {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const text of networks) {
    const [address, bits = 0] = readNetwork(text) ?? []
    if (address !== undefined)
      lists[address.kind()].addSubnet(address.toString(), bits, address.kind())
  }
  compiled.set(networks, lists)
  return lists
}
