//! Chromium without a window, driven by the DevTools protocol through a pair of pipes.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running browser. It ends when this is dropped.
pub(crate) struct Chromium {
    process: Child,
    commands: ChildStdin,
    messages: BufReader<ChildStdout>,
    sent: u64,
    /// Events that no one has read.
    events: Vec<Value>,
}

impl Chromium {
    /// Starts the browser `program` with an empty profile in `folder`.
    pub(crate) fn start(program: &str, folder: &Path) -> Chromium {
        // Chromium reads commands from descriptor 3 and writes messages to 4.
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 0</dev/null 1>&2", "sh", program])
            .args([
                "--headless",
                "--remote-debugging-pipe",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
            ])
            .args(["--no-first-run", "--disable-background-networking", "--disable-component-update"])
            // Containers often have little of the shared memory that it would take.
            .args(["--disable-sync", "--hide-scrollbars", "--disable-dev-shm-usage"])
            .arg(format!("--user-data-dir={}", folder.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let commands = process.stdin.take().expect("it is piped");
        let messages = BufReader::new(process.stdout.take().expect("it is piped"));
        Chromium { process, commands, messages, sent: 0, events: Vec::new() }
    }

    /// Opens an empty page of this size, and gives its session.
    pub(crate) fn open(&mut self, (width, height): (u32, u32)) -> String {
        let target = self.call(None, "Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = self.call(None, "Target.attachToTarget", attach);
        let session = session["sessionId"].as_str().expect("a session").to_owned();
        for domain in ["Runtime.enable", "Log.enable", "Page.enable"] {
            self.call(Some(&session), domain, json!({}));
        }
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call(Some(&session), "Emulation.setDeviceMetricsOverride", size);
        session
    }

    /// Loads an address, and waits until it is there.
    pub(crate) fn navigate(&mut self, session: &str, address: &str) {
        self.call(Some(session), "Page.navigate", json!({"url": address}));
        let loaded =
            |event: &Value| event["method"] == "Page.loadEventFired" && event["sessionId"] == session;
        while !self.events.iter().any(loaded) {
            let event = self.receive();
            self.events.push(event);
        }
    }

    /// The value of a JavaScript expression, when its promise is kept.
    pub(crate) fn evaluate(&mut self, session: &str, expression: &str) -> Value {
        let evaluate = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let mut result = self.call(Some(session), "Runtime.evaluate", evaluate);
        assert!(result["exceptionDetails"].is_null(), "{}", result["exceptionDetails"]);
        result["result"]["value"].take()
    }

    /// Presses the mouse at a place on the page, moves it to another one and releases it.
    pub(crate) fn drag(&mut self, session: &str, from: [f64; 2], to: [f64; 2]) {
        for (kind, [x, y], buttons) in
            [("mousePressed", from, 1), ("mouseMoved", to, 1), ("mouseReleased", to, 0)]
        {
            let event =
                json!({"type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1});
            self.call(Some(session), "Input.dispatchMouseEvent", event);
        }
    }

    /// A picture of the page: a PNG in base64.
    pub(crate) fn screenshot(&mut self, session: &str) -> String {
        let shot = self.call(Some(session), "Page.captureScreenshot", json!({"format": "png"}));
        shot["data"].as_str().expect("a picture").to_owned()
    }

    /// Errors and warnings on the console of the page, and exceptions that nothing has caught.
    pub(crate) fn complaints(&mut self, session: &str) -> Vec<String> {
        let of_session = self.events.drain(..).filter(|event| event["sessionId"] == session);
        of_session
            .filter_map(|event| {
                let params = &event["params"];
                let level = &params["entry"]["level"];
                match event["method"].as_str()? {
                    "Runtime.exceptionThrown" => {
                        Some(params["exceptionDetails"]["exception"]["description"].to_string())
                    }
                    "Runtime.consoleAPICalled" => Some(params["args"].to_string()),
                    "Log.entryAdded" if level == "error" || level == "warning" => {
                        Some(params["entry"]["text"].to_string())
                    }
                    _ => None,
                }
            })
            .collect()
    }

    fn call(&mut self, session: Option<&str>, method: &str, params: Value) -> Value {
        self.sent += 1;
        let id = self.sent;
        let mut message = json!({"id": id, "method": method, "params": params});
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        let mut text = message.to_string().into_bytes();
        text.push(0);
        self.commands.write_all(&text).expect("the browser runs");
        loop {
            let mut answer = self.receive();
            if answer["id"] == id {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].take();
            }
            self.events.push(answer);
        }
    }

    fn receive(&mut self) -> Value {
        let mut text = Vec::new();
        self.messages.read_until(0, &mut text).expect("the browser runs");
        assert_eq!(text.pop(), Some(0), "the browser has ended");
        serde_json::from_slice(&text).expect("JSON")
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
