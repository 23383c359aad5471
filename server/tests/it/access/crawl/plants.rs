//! Secrets as they are found in real errors, args and headers. Each is unlike every other, and unlike any word.

/// A secret, and a text that holds it the way that real texts do.
#[derive(Debug, Clone)]
pub struct Plant {
    pub secret: String,
    pub text: String,
}

/// `{s}` stands for the secret.
const SHAPES: &[&str] = &[
    // Headers, in the ways that programs print them.
    "Authorization: Bearer {s}",
    "authorization: Basic {s}==",
    "requests.post(url, headers={'Authorization': 'Bearer {s}', 'Accept': '*/*'})",
    "headers={\"x-api-key\": \"{s}\", \"accept\": \"*/*\"}",
    "{\"headers\": [[\"authorization\", \"Bearer {s}\"]]}",
    "Cookie: session={s}; theme=dark",
    "Set-Cookie: sid={s}; HttpOnly",
    "Proxy-Authorization: Negotiate {s}",
    "redirected with Bearer%20{s}",
    "\u{1b}[31mAuthorization: Bearer {s}\u{1b}[0m",
    // Keys by name.
    "invalid api_key={s} for this account",
    "password={s} rejected",
    "client_secret: {s}",
    "AWS_SECRET_ACCESS_KEY={s}",
    "{'access_token': '{s}', 'expires_in': 3600}",
    "{\"error\": \"{\\\"api_key\\\": \\\"{s}\\\"}\"}",
    "{\\\"refresh_token\\\": \\\"{s}\\\"}",
    // Keys by vendor.
    "Incorrect API key provided: sk-{s}",
    "sk_live_{s} is not allowed here",
    "ghp_{s}",
    "github_pat_{s}",
    "xoxb-{s}",
    "AIza{s}",
    "hf_{s}",
    "r8_{s}",
    "glpat-{s}",
    "dlo_{s}",
    "whsec_{s}",
    "eyJhbGciOiJSUzI1NiJ9.eyJ{s}.{s}",
    "-----BEGIN PRIVATE KEY-----\n{s}\n-----END PRIVATE KEY-----",
    // Signed URLs of many vendors.
    "GET https://b.s3.amazonaws.com/k.mp4?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIA{s}%2F20261129&X-Amz-Signature={s} failed",
    "https://storage.googleapis.com/b/o.mp4?X-Goog-Signature={s}&X-Goog-Expires=600",
    "https://storage.googleapis.com/b/o.mp4?GoogleAccessId=x&Expires=1&Signature={s}%2B",
    "https://acc.blob.core.windows.net/c/b.mp4?sv=2022-11-02&se=2026&sig={s}%3D",
    "https://d111111abcdef8.cloudfront.net/v.mp4?Expires=1&Signature={s}~&Key-Pair-Id=K{s}",
    "https://customer-1.cloudflarestream.com/eyJhbGciOiJSUzI1NiJ9.eyJ{s}.{s}/manifest/video.m3u8",
    "https://a.akamaized.net/v.mp4?hdnts=exp=1~acl=/*~hmac={s}",
    "https://a.akamaized.net/hdntl=exp=1~acl=/*~hmac={s}/v.mp4",
    "https://x.b-cdn.net/bcdn_token={s}&expires=1&token_path=%2F/v.mp4",
    "https://b.oss-cn-hangzhou.aliyuncs.com/o?OSSAccessKeyId=LTAI&Expires=1&Signature={s}",
    "https://b.cos.ap-guangzhou.myqcloud.com/o?q-sign-algorithm=sha1&q-signature={s}",
    "https://x.supabase.co/storage/v1/object/sign/b/o?token={s}",
    "https://f.backblazeb2.com/file/b/o?Authorization={s}",
    "https://x.imgix.net/a.png?w=1&s={s}",
    "https://cdn.example.com/v.mp4?verify=1-{s}",
    "https://cdn.example.com/v.mp4?Policy={s}&x=1",
    "https://cdn.example.com/v.mp4#access_token={s}",
    "https://cdn.example.com/v.mp4;jsessionid={s}",
    "https://cdn.example.com/signed/{s}/v.mp4",
    "https:\\/\\/cdn.example.com\\/v.mp4?se=1&sig={s}",
    "next=https%3A%2F%2Fcdn.example.com%2Fv.mp4%3Fsig%3D{s}",
    "HTTPSConnectionPool(host='api.example.com', port=443): Max retries exceeded with url: /v1/jobs?key={s} (Caused by NewConnectionError)",
    // Names and passwords in URLs.
    "postgres://app:{s}@db.internal:5432/media",
    "https://{s}@api.example.com/v1",
    "redis://:{s}@cache.internal/0",
    // Who people are.
    "no user {s}@example.com",
    "mailto:first.{s}@mail.example.co.uk",
    // What people asked for.
    "GenerationRequest(model='m', prompt='a {s} in the rain', seed=3)",
    "prompt: a {s} in the rain",
    "{\"prompt\": \"a {s} in the rain\", \"seed\": 3}",
    "{\"negative_prompt\": \"a {s}, blurry\"}",
    "lyrics = \"oh {s} oh\"",
    "1 validation error for Job\nprompt\n  Input should be short [type=too_long, input_value='a {s} in the rain', input_type=str]",
];

/// All plants, each with a secret of its own.
pub fn all() -> Vec<Plant> {
    SHAPES
        .iter()
        .enumerate()
        .map(|(number, shape)| {
            // Letters of both cases and figures, of the length of real keys; told apart by the number.
            let secret = format!("Qz{number:02}Xk7Vb2Mw9Rt4Yp6Hd3Lf8Sj");
            Plant {
                text: shape.replace("{s}", &secret),
                secret,
            }
        })
        .collect()
}
