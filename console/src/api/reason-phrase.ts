// RFC 9110, section 15, and RFC 6585: the statuses that a gateway or a proxy before it responds
// with.
const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

/** The standard words of a status: HTTP/2 and HTTP/3 carry none. Empty for a status without any. */
export function reasonPhrase(status: number): string {
  return REASONS[status] ?? ''
}
