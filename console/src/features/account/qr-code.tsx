import encodeQR from 'qr'

interface QrCodeProps {
  readonly text: string
  readonly label: string
}

/** A QR code, black on white in both schemes: that is what cameras read. */
export default function QrCode({ text, label }: QrCodeProps) {
  const image = encodeQR(text, 'data-url', { border: 3, scale: 4 })
  return (
    <img alt={label} src={image} style={{ alignSelf: 'center', imageRendering: 'pixelated' }} />
  )
}
